#include <fovea/runtime/tokenizers/save_tokenizer.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/tokenizers/json_stages.hpp>
#include <fovea/runtime/tokenizers/state.hpp>
#include <fovea/weights/temporary_file.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace fovea::core {
namespace {

using json = nlohmann::json;

/// Texts on lines of their own between brackets.
std::string lines_of(const std::vector<std::string>& entries, char open, char close) {
  std::string text(1, open);
  for (std::size_t i = 0; i < entries.size(); ++i) (text += i ? ",\n" : "\n") += entries[i];
  return (text += '\n') += close;
}

/// From token to id in the order of the ids. An object of the JSON library would sort them by their spelling.
std::string vocabulary_json(const token_vocabulary& tokens) {
  std::vector<std::string> entries;
  for (token_id id = 0; id < static_cast<token_id>(tokens.size()); ++id)
    if (const std::string_view token = tokens.token(id); !token.empty())
      entries.push_back(json(token).dump() + ":" + std::to_string(id));
  return lines_of(entries, '{', '}');
}

struct model_json {
  const token_vocabulary& tokens;

  json name_of(std::optional<token_id> id) const { return id ? json(tokens.token(*id)) : json(nullptr); }

  /// A model's members, of which the last is long and already a text.
  static std::string joined(const json& members, const std::string& last) {
    std::string text = members.dump();
    text.pop_back();
    return text + "," + last + "}";
  }

  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(const word_piece& model) const {
    return joined({{"type", "WordPiece"},
                   {"unk_token", tokens.token(model.unknown())},
                   {"continuing_subword_prefix", model.continuation()},
                   {"max_input_chars_per_word", model.longest_word()}},
                  "\"vocab\":" + vocabulary_json(tokens));
  }
  std::string operator()(const byte_pair& model) const {
    std::vector<std::string> merges;
    for (const auto& [left, right] : model.merges()) merges.push_back(json{left, right}.dump());
    const byte_pair::settings& how = model.options();
    return joined({{"type", "BPE"},
                   {"dropout", nullptr},
                   {"unk_token", name_of(how.unknown)},
                   {"continuing_subword_prefix", nullptr},
                   {"end_of_word_suffix", how.word_end.empty() ? json(nullptr) : json(how.word_end)},
                   {"fuse_unk", how.fuse_unknown},
                   {"byte_fallback", how.byte_fallback},
                   {"ignore_merges", how.ignore_merges}},
                  "\"vocab\":" + vocabulary_json(tokens) + ",\"merges\":" + lines_of(merges, '[', ']'));
  }
  std::string operator()(const unigram& model) const {
    std::vector<std::string> entries;
    for (const double score : model.scores())
      entries.push_back(json{tokens.token(static_cast<token_id>(entries.size())), score}.dump());
    const unigram::settings& how = model.options();
    return joined({{"type", "Unigram"},
                   {"unk_id", how.unknown ? json(*how.unknown) : json(nullptr)},
                   {"byte_fallback", how.byte_fallback}},
                  "\"vocab\":" + lines_of(entries, '[', ']'));
  }
  std::string operator()(const whole_word& model) const {
    return joined({{"type", "WordLevel"}, {"unk_token", name_of(model.unknown())}},
                  "\"vocab\":" + vocabulary_json(tokens));
  }
};

std::string added_tokens_json(const tokenizer::state& stages) {
  std::map<token_id, added_token> by_id;
  // The format has no special token that no text spells.
  for (const token_id id : stages.special) by_id[id] = {.content = {}, .id = id, .special = true};
  for (const added_tokens* list : {&stages.raw_tokens, &stages.normalized_tokens})
    for (const added_token& token : list->all()) by_id[token.id] = token;
  std::vector<std::string> entries;
  for (const auto& [id, token] : by_id)
    entries.push_back(json{
        {"id", id},
        {"content", stages.tokens.token(id)}, // as it was before the normaliser
        {"single_word", token.single_word},
        {"lstrip", token.left_strip},
        {"rstrip", token.right_strip},
        {"normalized", token.normalized},
        {"special",
         token.special}}.dump());
  return lines_of(entries, '[', ']');
}

json template_json(const tokenizer::state& stages) {
  using kind = encoding_template::piece::kind;
  json special = json::object();
  const auto pieces = [&](const encoding_template& form) {
    json list = json::array();
    for (const auto& piece : form.pieces) {
      if (piece.what != kind::special) {
        const char* name = piece.what == kind::first_text ? "A" : "B";
        list.push_back({{"Sequence", {{"id", name}, {"type_id", piece.type}}}});
        continue;
      }
      for (const token_id id : piece.ids) {
        const std::string token(stages.tokens.token(id));
        special[token] = {{"id", token}, {"ids", json::array({id})}, {"tokens", json::array({token})}};
        list.push_back({{"SpecialToken", {{"id", token}, {"type_id", piece.type}}}});
      }
    }
    return list;
  };
  const json single = pieces(stages.single), pair = pieces(stages.pair);
  if (special.empty()) return nullptr;
  return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", special}};
}

} // namespace

std::string to_json(const tokenizer& tokens) {
  const tokenizer::state& stages = tokens.stages();
  const std::string model = std::visit(model_json{stages.tokens}, stages.model);
  return "{\"version\":\"1.0\",\n\"truncation\":null,\n\"padding\":null,\n\"added_tokens\":" +
         added_tokens_json(stages) + ",\n\"normalizer\":" + json_of(stages.normalize).dump() +
         ",\n\"pre_tokenizer\":" + json_of(stages.split).dump() +
         ",\n\"post_processor\":" + template_json(stages).dump() +
         ",\n\"decoder\":" + json_of(stages.decode).dump() + ",\n\"model\":" + model + "}\n";
}

void save_tokenizer(const file_path& path, const tokenizer& tokens) {
  const std::string text = to_json(tokens);
  temporary_file file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

} // namespace fovea::core
