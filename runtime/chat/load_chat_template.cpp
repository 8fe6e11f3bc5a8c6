#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/runtime/chat/chat_source.hpp>
#include <fovea/weights/gguf.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

namespace fovea::core {
namespace {

using nlohmann::json;
using path = std::filesystem::path;

constexpr std::string_view config = "tokenizer_config.json", generation = "generation_config.json";

const json* member(const json& object, std::string_view name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() && !found->is_null() ? &*found : nullptr;
}

/// Sets each token to what `find` gives for it, where that is something.
template <class F>
chat_tokens tokens_by(chat_tokens made, F find) {
  const std::pair<const char*, std::string&> all[] = {
      {"bos_token", made.bos_token},  {"eos_token", made.eos_token}, {"unk_token", made.unk_token},
      {"sep_token", made.sep_token},  {"pad_token", made.pad_token}, {"cls_token", made.cls_token},
      {"mask_token", made.mask_token}};
  for (const auto& [name, token] : all)
    if (std::optional<std::string> found = find(name)) token = *std::move(found);
  return made;
}

/// A token is a text, or an object whose content is one.
chat_tokens tokens_in(const model_files& files, const chat_tokens& otherwise) {
  if (!files.has(config)) return otherwise;
  const json_document document = files.json(config);
  return tokens_by(otherwise, [&](const char* name) -> std::optional<std::string> {
    const json* found = member(*document, name);
    if (found == nullptr) return std::nullopt;
    if (const json* content = member(*found, "content")) found = content;
    if (!found->is_string())
      throw error(files.path_of(config) + ": " + name +
                  ": expected a text, or an object with the text content; found " + shown(*found));
    return found->get<std::string>();
  });
}

/// The templates of a model, by their names.
struct named_texts {
  struct named_text {
    std::string name, text, source; // as messages call it
  };
  std::string source; // of all
  std::vector<named_text> all = {};

  void add(const std::string& name, const std::string& text) { all.push_back({name, text, source}); }
  const named_text* find(std::string_view name) const {
    const auto found = std::ranges::find(all, name, &named_text::name);
    return found == all.end() ? nullptr : &*found;
  }

  chat_template made(std::string_view which, const chat_tokens& tokens) const {
    const named_text* found = find(which);
    if (found == nullptr) {
      std::string names;
      for (const named_text& one : all) names += (names.empty() ? "" : ", ") + in_quotes(one.name);
      throw error(source + ": chat_template: expected the template " + in_quotes(which) + "; found " +
                  (names.empty() ? "none" : names));
    }
    chat_template one = chat_template::from_text(found->text, tokens, found->source);
    const named_text* with_tools = which == "default" ? find("tool_use") : nullptr;
    if (with_tools == nullptr) return one;
    return one.with_tools(chat_template::from_text(with_tools->text, tokens, with_tools->source));
  }
};

/// A template is a text, several are a list of objects with a name and a template.
void add_json(named_texts& to, const json& found) {
  const auto fail = [&](const std::string& expected, const json& there) {
    throw error(to.source + ": chat_template: expected " + expected + "; found " + shown(there));
  };
  if (found.is_string())
    to.add("default", found.get<std::string>());
  else if (!found.is_array())
    fail("a text, or a list of objects with the texts name and template", found);
  else
    for (const json& one : found) {
      const json *name = member(one, "name"), *text = member(one, "template");
      if (name == nullptr || text == nullptr || !name->is_string() || !text->is_string())
        fail("a list of objects with the texts name and template", one);
      to.add(name->get<std::string>(), text->get<std::string>());
    }
}

/// Those of a file, and those beside it in additional_chat_templates that have one of these names.
named_texts texts_in(const model_files& files, const std::string& file,
                     std::initializer_list<std::string_view> more) {
  named_texts made{files.path_of(file)};
  if (!file.ends_with(".json")) {
    made.add("default", files.text(file));
  } else {
    const json_document document = files.json(file);
    if (const json* found = member(*document, "chat_template")) add_json(made, *found);
  }
  for (const std::string_view name : more) {
    const std::string another = "additional_chat_templates/" + std::string(name) + ".jinja";
    if (name == "default" || !files.has(another)) continue;
    std::erase_if(made.all, [&](const auto& one) { return one.name == name; });
    made.all.push_back({std::string(name), files.text(another), files.path_of(another)});
  }
  return made;
}

/// The file of a folder that has its template, as transformers looks for it.
std::string file_in(const model_files& files) {
  for (const char* name : {"chat_template.jinja", "chat_template.json"})
    if (files.has(name)) return name;
  return std::string(config);
}

std::vector<token_id> ends_in(const model_files& files) {
  std::vector<token_id> ends;
  if (!files.has(generation)) return ends;
  const json_document document = files.json(generation);
  const auto add = [&](const json& id) {
    ends.push_back(whole_number<token_id>(id, files.path_of(generation) + ": eos_token_id"));
  };
  const json* found = member(*document, "eos_token_id");
  if (found != nullptr && found->is_array())
    std::ranges::for_each(*found, add);
  else if (found != nullptr)
    add(*found);
  return ends;
}

/// The templates of a GGUF file: `tokenizer.chat_template`, and more behind a point.
named_texts texts_in(const gguf_metadata& keys) {
  constexpr std::string_view key = "tokenizer.chat_template";
  named_texts made{keys.source()};
  if (const auto text = keys.text(key)) made.add("default", std::string(*text));
  for (const auto& [name, text] : keys.as_texts())
    if (name.starts_with(std::string(key) + ".")) made.add(name.substr(key.size() + 1), text);
  return made;
}

/// The token whose id a key of `tokenizer.ggml` gives: the id, and how the file's vocabulary spells it.
std::optional<std::pair<token_id, std::string>> token_in(const gguf_metadata& keys, std::string_view name) {
  const std::string key = "tokenizer.ggml." + std::string(name) + "_token_id";
  const std::optional<std::int64_t> id = keys.integer(key);
  if (!id) return std::nullopt;
  const auto tokens = keys.texts("tokenizer.ggml.tokens");
  if (!tokens || *id < 0 || *id >= static_cast<std::int64_t>(tokens->size()))
    throw error(keys.source() + ": key " + in_quotes(key) + ": expected the id of a token; found " +
                std::to_string(*id));
  return std::pair(static_cast<token_id>(*id), std::string((*tokens)[static_cast<std::size_t>(*id)]));
}

chat_tokens tokens_in(const gguf_metadata& keys, const chat_tokens& otherwise) {
  return tokens_by(otherwise, [&](std::string_view name) -> std::optional<std::string> {
    const auto found = token_in(keys, name == "unk_token"   ? "unknown"
                                      : name == "sep_token" ? "seperator" // as the format spells it
                                      : name == "pad_token" ? "padding"
                                                            : name.substr(0, name.find('_')));
    return found ? std::optional(found->second) : std::nullopt;
  });
}

std::optional<chat_template> default_of(const named_texts& texts, const chat_tokens& tokens) {
  return texts.all.empty() ? std::nullopt : std::optional(texts.made("default", tokens));
}

} // namespace

chat_template chat_template::load(const file_path& folder_or_file, const chat_template_choice& which) {
  const path asked = folder_or_file;
  const bool is_folder = is_directory(asked);
  if (!is_folder) {
    const auto file = std::make_shared<mapped_file>(asked);
    if (is_gguf(file->bytes())) {
      const gguf_metadata keys = gguf_file(asked, file).metadata();
      return texts_in(keys).made(which.name, tokens_in(keys, which.tokens));
    }
  }
  path folder = is_folder ? asked : asked.parent_path(), name = is_folder ? path() : asked.filename();
  if (folder.filename() == "additional_chat_templates") {
    name = folder.filename() / name;
    folder = folder.parent_path();
  }
  const model_files files(folder);
  const named_texts texts = is_folder ? texts_in(files, file_in(files), {which.name, "tool_use"})
                                      : texts_in(files, file_path(name).string(), {});
  if (texts.all.empty()) throw error(texts.source + ": expected the member chat_template; there is none");
  return texts.made(which.name, tokens_in(files, which.tokens));
}

chat_source chat_source_of(const model_files& files, const chat_tokens& otherwise) {
  return {tokens_in(files, otherwise), ends_in(files)};
}

chat_source chat_source_of(const gguf_metadata& keys, const chat_tokens& otherwise) {
  chat_source made{tokens_in(keys, otherwise), {}};
  for (const char* name : {"eos", "eot", "eom"})
    if (const auto token = token_in(keys, name)) made.ends.push_back(token->first);
  return made;
}

std::optional<chat_template> chat_template_in(const model_files& files, const chat_tokens& tokens) {
  const std::string file = file_in(files);
  return files.has(file) ? default_of(texts_in(files, file, {"tool_use"}), tokens) : std::nullopt;
}

std::optional<chat_template> chat_template_in(const gguf_metadata& keys, const chat_tokens& tokens) {
  return default_of(texts_in(keys), tokens);
}

} // namespace fovea::core
