#include <fovea/programs/chat_form.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/programs/built.hpp>
#include <fovea/programs/token_ids.hpp>
#include <fovea/runtime/chat/chat_source.hpp>
#include <fovea/runtime/tokenizers/state.hpp>
#include <fovea/weights/gguf.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace fovea::programs {
namespace {

constexpr encode_options as_it_is{.special = false};

/// f of the files beside the tokenizer, or of the keys of the GGUF file that has it.
template <class F>
chat_form with_source(const built_file& words, const program_parts& parts, F f) {
  const auto file = words.bytes.empty()
                        ? std::make_shared<core::mapped_file>(words.path)
                        : std::make_shared<core::mapped_file>(words.bytes, words.path, load_options{});
  if (core::is_gguf(file->bytes())) return f(core::gguf_file(words.path, file).metadata());
  const std::filesystem::path folder = words.path.parent_path();
  if (words.bytes.empty()) return f(core::model_files(folder));
  core::model_files::in_memory files;
  for (const built_file& beside : parts.beside_tokenizer) {
    const std::u8string name = beside.path.lexically_relative(folder).generic_u8string();
    files.emplace(std::string(name.begin(), name.end()), beside.bytes);
  }
  return f(core::model_files(folder, std::move(files)));
}

} // namespace

chat_form::chat_form(chat_template text, bool is_written, std::span<const token_id> ends, tokenizer words)
    : text_(std::move(text)), is_written_(is_written), words_(std::move(words)) {
  std::ranges::copy_if(ends, std::back_inserter(ends_), [&](token_id id) {
    return id >= 0 && static_cast<std::size_t>(id) < words_.vocabulary_size();
  });
  for (const std::string& end : text_.ends())
    if (const std::optional<token_id> id = words_.id(end))
      ends_.push_back(*id);
    else
      stops_.push_back(end);
  for (const token_id id : ends_) // one that is no special token would be printed
    if (const std::string spelt = words_.decode(std::array{id}); !spelt.empty() && spelt == words_.token(id))
      stops_.push_back(spelt);
  for (const token_id id : words_.stages().special) {
    const std::string_view token = words_.token(id);
    if (!token.empty() && words_.encode(token, as_it_is).ids != token_ids{id})
      unread_.emplace_back(token, id);
  }
}

token_ids chat_form::ids_of(const std::string& prompt) const {
  if (!is_written_) return words_.encode(prompt).ids;
  token_ids ids;
  for (std::string_view rest = prompt; !rest.empty();) {
    std::size_t begin = rest.size(), size = 0;
    std::optional<token_id> next;
    for (const auto& [token, id] : unread_)
      if (const std::size_t found = rest.find(token);
          found < begin || (found == begin && token.size() > size)) {
        begin = found, size = token.size();
        next = id;
      }
    const token_ids before = words_.encode(rest.substr(0, begin), as_it_is).ids;
    ids.insert(ids.end(), before.begin(), before.end());
    if (next) ids.push_back(*next);
    rest.remove_prefix(begin + size);
  }
  return ids;
}

void declare_chat_template(CLI::App& app, chat_choice& choice) {
  app.add_option("--chat-template", choice.file,
                 "How a conversation is put to the model: a template in jinja, or a tokenizer_config.json; "
                 "else what lies beside the tokenizer, or in its GGUF file");
}

chat_form chat_form_of(const chat_choice& choice, const options& o, const program_parts& parts,
                       const tokenizer& words) {
  if (!choice.name.empty() && !choice.file.empty())
    throw error("--chat-template: expected no form of --chat beside it; found " +
                core::in_quotes(choice.name));
  const token_ids built = ids_of(parts.end, words);
  const auto named = [&](const std::string& name, const token_ids& ends) {
    try {
      return chat_form(chat_template::named(name), false, ends, words);
    } catch (const error& problem) {
      throw error(std::string("--chat: ") + problem.what());
    }
  };
  if (!choice.name.empty()) return named(choice.name, built);
  const chat_tokens otherwise{.bos_token = parts.begin, .eos_token = parts.end.empty() ? "" : parts.end[0]};
  return with_source(tokenizer_file_of(parts, o.tokenizer, o.weights), parts, [&](const auto& from) {
    const core::chat_source said = core::chat_source_of(from, otherwise);
    token_ids ends = built;
    ends.insert(ends.end(), said.ends.begin(), said.ends.end());
    if (!choice.file.empty())
      return chat_form(chat_template::load(choice.file, {.tokens = said.tokens}), true, ends, words);
    try {
      const std::optional<chat_template> found = core::chat_template_in(from, said.tokens);
      return found ? chat_form(*found, true, ends, words) : named("plain", ends);
    } catch (const error& problem) {
      throw error(std::string(problem.what()) + "; --chat and --chat-template take another form");
    }
  });
}

} // namespace fovea::programs
