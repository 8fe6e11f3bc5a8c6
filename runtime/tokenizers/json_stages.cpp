#include <fovea/runtime/tokenizers/json_stages.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/utf8.hpp>

#include <array>
#include <string_view>
#include <variant>

namespace fovea::core {

using json = nlohmann::json;

std::string type_of(const json& stage) {
  return stage.is_object() ? stage.value("type", std::string("(no type)")) : "null";
}

const json& member(const json& object, const char* key) {
  static const json none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

void unsupported(const char* stage, const std::string& found, const char* expected) {
  throw error(std::string(stage) + " " + in_quotes(found) + " is not supported: expected " + expected);
}

namespace {

/// Whether a member is this text. The JSON library's own comparison makes a value of the text, and ends the
/// program where there is no memory for it.
bool says(const json& object, const char* key, std::string_view text) {
  const auto* found = member(object, key).get_ptr<const std::string*>();
  return found != nullptr && *found == text;
}

constexpr std::array<std::pair<std::string_view, unicode_form>, 4> forms{{{"NFC", unicode_form::nfc},
                                                                          {"NFD", unicode_form::nfd},
                                                                          {"NFKC", unicode_form::nfkc},
                                                                          {"NFKD", unicode_form::nfkd}}};

/// What a Regex of a Replace stage may be.
constexpr const char *space_runs = " {2,}", *white_space = "\\s+";

/// The String of a Replace stage.
std::string pattern_of(const json& stage, const char* name) {
  const json& pattern = stage.at("pattern");
  if (!pattern.contains("String")) unsupported(name, "Replace of a Regex", "Replace of a String");
  return pattern["String"].get<std::string>();
}

std::string mark_of(const json& stage) {
  const auto mark = value_or(stage, "replacement", meta_space_splitter().mark);
  if (mark.empty() || code_point_at(mark, 0).bytes != mark.size())
    throw error("Metaspace: expected a replacement of one character; found " + std::to_string(mark.size()) +
                " bytes");
  return mark;
}

meta_space_splitter::prefix prefix_of(const json& stage) {
  using prefix = meta_space_splitter::prefix;
  const std::string front = value_or(
      stage, "prepend_scheme", std::string(value_or(stage, "add_prefix_space", true) ? "always" : "never"));
  if (front == "always") return prefix::always;
  if (front == "first") return prefix::first;
  if (front == "never") return prefix::never;
  throw error("Metaspace: expected a prepend_scheme always, first or never; found " + in_quotes(front));
}

void append_steps(const json& stage, normalizer& steps) {
  const std::string type = type_of(stage);
  for (const auto& [name, form] : forms)
    if (type == name) {
      steps.emplace_back(form);
      return;
    }
  if (type == "Sequence") {
    for (const json& inner : stage.at("normalizers")) append_steps(inner, steps);
  } else if (type == "BertNormalizer") {
    const bool lowercase = value_or(stage, "lowercase", true);
    steps.emplace_back(bert_normalizer{.clean_text = value_or(stage, "clean_text", true),
                                       .handle_chinese_chars = value_or(stage, "handle_chinese_chars", true),
                                       .strip_accents = value_or(stage, "strip_accents", lowercase),
                                       .lowercase = lowercase});
  } else if (type == "Lowercase") {
    steps.emplace_back(lower_case());
  } else if (type == "StripAccents") {
    steps.emplace_back(strip_accents());
  } else if (type == "Strip") {
    steps.emplace_back(
        strip_space{value_or(stage, "strip_left", true), value_or(stage, "strip_right", true)});
  } else if (type == "Prepend") {
    steps.emplace_back(prepend{stage.at("prepend").get<std::string>()});
  } else if (type == "Precompiled") {
    steps.emplace_back(precompiled_map(from_base64(stage.at("precompiled_charsmap").get<std::string>())));
  } else if (type == "Replace" && says(stage.at("pattern"), "Regex", space_runs)) {
    steps.emplace_back(replace_space_runs{stage.at("content").get<std::string>()});
  } else if (type == "Replace" && says(stage.at("pattern"), "Regex", white_space)) {
    steps.emplace_back(replace_white_space{stage.at("content").get<std::string>()});
  } else if (type == "Replace") {
    steps.emplace_back(replace_text{pattern_of(stage, "normalizer"), stage.at("content").get<std::string>()});
  } else {
    unsupported("normalizer", type,
                "BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Prepend, Replace, "
                "Precompiled or a "
                "Sequence of them");
  }
}

using pattern = byte_level_splitter::pattern;

/// The Split in front of a ByteLevel: words by a pattern, between which the rest is kept or removed.
struct split_words {
  pattern words;
  bool removes_rest, byte_level_splits; // the latter by GPT-2's pattern
  std::string_view spelt;
};
constexpr std::array<split_words, 4> split_patterns{
    {{pattern::llama3, false, false,
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
      R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
     {pattern::qwen2, false, false,
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
      R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
     {pattern::clip, true, true, R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)"},
     {pattern::clip_tokens, true, true,
      R"(<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)"}}};

const char* behaviour_of(const split_words& how) { return how.removes_rest ? "Removed" : "Isolated"; }

/// Two stages: words by a pattern, and their bytes.
splitter read_splitters(const json& list) {
  constexpr const char* expected =
      "a Split by the pattern of Llama 3, Qwen 2 or CLIP, and a ByteLevel without prefix, "
      "which splits again for CLIP alone";
  if (list.size() == 2 && type_of(list[0]) == "Split" && type_of(list[1]) == "ByteLevel" &&
      member(list[1], "add_prefix_space") == false)
    for (const split_words& how : split_patterns)
      if (says(list[0].at("pattern"), "Regex", how.spelt) && says(list[0], "behavior", behaviour_of(how)) &&
          member(list[0], "invert") == how.removes_rest &&
          value_or(list[1], "use_regex", true) == how.byte_level_splits)
        return byte_level_splitter{.prefix_space = false, .words = how.words};
  unsupported("pre_tokenizer", "Sequence", expected);
}

/// The decoders of SentencePiece models: Replace, ByteFallback, Fuse, Strip of one space.
decoder read_decoders(const json& list) {
  meta_space_decoder how{.mark = {}, .front = meta_space_decoder::leading::kept};
  for (const json& stage : list) {
    const std::string type = type_of(stage);
    if (type == "Replace" && says(stage, "content", " "))
      how.mark = pattern_of(stage, "decoder");
    else if (type == "ByteFallback")
      how.byte_fallback = true;
    else if (type == "Strip" && says(stage, "content", " ") && member(stage, "start") == 1 &&
             member(stage, "stop") == 0)
      how.front = meta_space_decoder::leading::one;
    else if (type != "Fuse")
      unsupported("decoder", "Sequence with " + type,
                  "Replace by a space, ByteFallback, Fuse and Strip of one space in front");
  }
  if (how.mark.empty()) unsupported("decoder", "Sequence without Replace", "Replace by a space");
  return how;
}

} // namespace

normalizer read_normalizer(const json& stage) {
  normalizer steps;
  if (!stage.is_null()) append_steps(stage, steps);
  return steps;
}

splitter read_splitter(const json& stage) {
  const std::string type = type_of(stage);
  if (type == "null") return whole_splitter();
  if (type == "WhitespaceSplit") return white_space_splitter();
  if (type == "BertPreTokenizer") return bert_splitter();
  if (type == "ByteLevel")
    return byte_level_splitter{.prefix_space = value_or(stage, "add_prefix_space", true),
                               .words = value_or(stage, "use_regex", true) ? pattern::gpt2 : pattern::none};
  if (type == "Sequence") return read_splitters(stage.at("pretokenizers"));
  if (type == "Metaspace")
    return meta_space_splitter{mark_of(stage), prefix_of(stage), value_or(stage, "split", true)};
  unsupported(
      "pre_tokenizer", type,
      "ByteLevel, BertPreTokenizer, Metaspace, WhitespaceSplit, a Sequence of Split and ByteLevel, or none");
}

decoder read_decoder(const json& stage) {
  const std::string type = type_of(stage);
  if (type == "null") return space_decoder();
  if (type == "Fuse") return plain_decoder();
  if (type == "ByteLevel") return byte_level_decoder();
  if (type == "WordPiece")
    return word_piece_decoder{value_or(stage, "prefix", std::string("##")), value_or(stage, "cleanup", true)};
  if (type == "Metaspace")
    return meta_space_decoder{.mark = mark_of(stage),
                              .front = prefix_of(stage) == meta_space_splitter::prefix::never
                                           ? meta_space_decoder::leading::kept
                                           : meta_space_decoder::leading::run};
  if (type == "Sequence") return read_decoders(stage.at("decoders"));
  unsupported("decoder", type,
              "ByteLevel, WordPiece, Metaspace, Fuse, a Sequence of SentencePiece's, or none");
}

namespace {

const char* name_of(meta_space_splitter::prefix front) {
  using enum meta_space_splitter::prefix;
  return front == always ? "always" : front == first ? "first" : "never";
}

struct json_of_step {
  json operator()(const bert_normalizer& step) const {
    return {{"type", "BertNormalizer"},
            {"clean_text", step.clean_text},
            {"handle_chinese_chars", step.handle_chinese_chars},
            {"strip_accents", step.strip_accents},
            {"lowercase", step.lowercase}};
  }
  json operator()(unicode_form form) const {
    for (const auto& [name, known] : forms)
      if (known == form) return {{"type", name}};
    return nullptr;
  }
  json operator()(lower_case) const { return {{"type", "Lowercase"}}; }
  json operator()(strip_accents) const { return {{"type", "StripAccents"}}; }
  json operator()(const strip_space& step) const {
    return {{"type", "Strip"}, {"strip_left", step.left}, {"strip_right", step.right}};
  }
  json operator()(const prepend& step) const { return {{"type", "Prepend"}, {"prepend", step.text}}; }
  json operator()(const replace_text& step) const {
    return {{"type", "Replace"}, {"pattern", {{"String", step.from}}}, {"content", step.to}};
  }
  json operator()(const replace_space_runs& step) const {
    return {{"type", "Replace"}, {"pattern", {{"Regex", space_runs}}}, {"content", step.to}};
  }
  json operator()(const replace_white_space& step) const {
    return {{"type", "Replace"}, {"pattern", {{"Regex", white_space}}}, {"content", step.to}};
  }
  json operator()(const sentence_piece_text&) const {
    throw error("a SentencePiece model has no form as tokenizer.json: keep its own file");
  }
  json operator()(const precompiled_map& step) const {
    return {{"type", "Precompiled"}, {"precompiled_charsmap", to_base64(step.bytes())}};
  }
};

struct json_of_splitter {
  json operator()(whole_splitter) const { return nullptr; }
  json operator()(white_space_splitter) const { return {{"type", "WhitespaceSplit"}}; }
  json operator()(bert_splitter) const { return {{"type", "BertPreTokenizer"}}; }
  json operator()(const byte_level_splitter& how) const {
    if (how.words == pattern::ggml) throw error("the words of this GGUF file have no form as tokenizer.json");
    json bytes{{"type", "ByteLevel"},
               {"add_prefix_space", how.prefix_space},
               {"trim_offsets", true},
               {"use_regex", how.words == pattern::gpt2}};
    for (const split_words& split : split_patterns)
      if (how.words == split.words) {
        bytes["use_regex"] = split.byte_level_splits;
        return {{"type", "Sequence"},
                {"pretokenizers",
                 {{{"type", "Split"},
                   {"pattern", {{"Regex", split.spelt}}},
                   {"behavior", behaviour_of(split)},
                   {"invert", split.removes_rest}},
                  bytes}}};
      }
    return bytes;
  }
  json operator()(const meta_space_splitter& how) const {
    return {{"type", "Metaspace"},
            {"replacement", how.mark},
            {"prepend_scheme", name_of(how.front)},
            {"split", how.split}};
  }
};

struct json_of_decoder {
  json operator()(space_decoder) const { return nullptr; }
  json operator()(plain_decoder) const { return {{"type", "Fuse"}}; }
  json operator()(byte_level_decoder) const {
    return {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", true}, {"use_regex", true}};
  }
  json operator()(const word_piece_decoder& how) const {
    return {{"type", "WordPiece"}, {"prefix", how.continuation}, {"cleanup", how.clean_up}};
  }
  json operator()(const meta_space_decoder& how) const {
    using enum meta_space_decoder::leading;
    if (how.front == run)
      return {
          {"type", "Metaspace"}, {"replacement", how.mark}, {"prepend_scheme", "always"}, {"split", true}};
    json list{{{"type", "Replace"}, {"pattern", {{"String", how.mark}}}, {"content", " "}}};
    if (how.byte_fallback) list.push_back({{"type", "ByteFallback"}});
    list.push_back({{"type", "Fuse"}});
    if (how.front != kept) list.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
    return {{"type", "Sequence"}, {"decoders", list}};
  }
};

} // namespace

json json_of(const normalizer& steps) {
  if (steps.empty()) return nullptr;
  if (steps.size() == 1) return std::visit(json_of_step(), steps.front());
  json list = json::array();
  for (const normalizer_step& step : steps) list.push_back(std::visit(json_of_step(), step));
  return {{"type", "Sequence"}, {"normalizers", list}};
}

json json_of(const splitter& how) { return std::visit(json_of_splitter(), how); }
json json_of(const decoder& how) { return std::visit(json_of_decoder(), how); }

} // namespace fovea::core
