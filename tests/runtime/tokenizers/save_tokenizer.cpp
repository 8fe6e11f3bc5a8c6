#include <fovea/runtime/tokenizers/save_tokenizer.hpp>

#include "../../golden_folder.hpp"
#include "../../weights/temporary_folder.hpp"
#include "golden_lines.hpp"

#include <fovea/base/error.hpp>
#include <fovea/runtime/tokenizers/precompiled_map.hpp>
#include <fovea/runtime/tokenizers/tokenizer_trainer.hpp>

#include <catch2/catch.hpp>

#include <filesystem>

using namespace fovea;
using namespace fovea::core;
using nlohmann::json;

namespace {

const std::string folder = std::string(test::golden_folder) + "/";

/// Whether what is saved and loaded does what the tokenizer did.
void check_kept(const tokenizer& tokens, const std::vector<std::string>& texts) {
  const std::string saved = to_json(tokens);
  const tokenizer loaded = parse_tokenizer(saved);
  CHECK(to_json(loaded) == saved);
  CHECK(loaded.vocabulary_size() == tokens.vocabulary_size());
  for (const std::string& text : texts) {
    INFO(text);
    const auto ids = tokens.encode(text).ids;
    CHECK(loaded.encode(text).ids == ids);
    for (const bool skip_special : {false, true})
      CHECK(loaded.decode(ids, skip_special) == tokens.decode(ids, skip_special));
  }
}

/// Every stage that the goldens lack.
json other_stages() {
  return {
      {"added_tokens",
       {{{"id", 7}, {"content", "<Mask>"}, {"lstrip", true}, {"normalized", true}},
        {{"id", 8}, {"content", "<end>"}, {"special", true}, {"rstrip", true}, {"single_word", true}}}},
      {"normalizer",
       {{"type", "Sequence"},
        {"normalizers",
         {{{"type", "NFD"}},
          {{"type", "StripAccents"}},
          {{"type", "Lowercase"}},
          {{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}},
          {{"type", "Prepend"}, {"prepend", "_"}},
          {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "_"}}}}}},
      {"pre_tokenizer",
       {{"type", "Metaspace"}, {"replacement", "_"}, {"prepend_scheme", "first"}, {"split", false}}},
      {"post_processor", {{"type", "BertProcessing"}, {"sep", {"<s>", 1}}, {"cls", {"<end>", 8}}}},
      {"decoder",
       {{"type", "Sequence"},
        {"decoders",
         {{{"type", "Replace"}, {"pattern", {{"String", "_"}}}, {"content", " "}},
          {{"type", "ByteFallback"}},
          {{"type", "Fuse"}},
          {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}}},
      {"model",
       {{"type", "BPE"},
        {"unk_token", "<unk>"},
        {"fuse_unk", true},
        {"byte_fallback", true},
        {"vocab", {{"<unk>", 0}, {"<s>", 1}, {"_", 2}, {"a", 3}, {"_a", 4}, {"<0xC3>", 5}, {"<0xA6>", 6}}},
        {"merges", json::array({"_ a"})}}}};
}

} // namespace

TEST_CASE("a saved tokenizer does what it did", "[save_tokenizer]") {
  for (const std::string name : {"wordpiece", "bpe", "clip", "unigram"}) {
    std::vector<std::string> texts;
    for (const json& line : json_lines(folder + "tokenizer_" + name + ".jsonl"))
      texts.push_back(line["text"].get<std::string>());
    check_kept(load_tokenizer(folder + "tokenizer_" + name + ".tokenizer.json"), texts);
  }
  const std::vector<std::string> texts{"", " ", "A a a\u00e9 ", " a <attention_mask>a<end>  a",
                                       "\u00e6\u00e6b\U0001f600a"};
  json file = other_stages();
  check_kept(parse_tokenizer(file.dump()), texts);
  const auto ids = parse_tokenizer(file.dump()).encode("A \u00e6b", {.special = false}).ids;
  CHECK(ids == std::vector<token_id>{4, 2, 5, 6, 0});
  for (const char* digits : {"{1,3}", ""}) { // Llama 3's and Qwen 2's words
    json bytes = json::parse(to_json(byte_tokenizer()));
    const std::string pattern =
        std::string("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}") + digits +
        "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    bytes["pre_tokenizer"] = {
        {"type", "Sequence"},
        {"pretokenizers",
         {{{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}},
          {{"type", "ByteLevel"},
           {"add_prefix_space", false},
           {"trim_offsets", true},
           {"use_regex", false}}}}};
    check_kept(parse_tokenizer(bytes.dump()), texts);
    CHECK(json::parse(to_json(parse_tokenizer(bytes.dump())))["pre_tokenizer"] == bytes["pre_tokenizer"]);
  }
  file["decoder"]["decoders"].erase(3);
  file["pre_tokenizer"]["prepend_scheme"] = "never";
  check_kept(parse_tokenizer(file.dump()), texts);
}

TEST_CASE("trained tokenizers are saved", "[save_tokenizer]") {
  const std::vector<std::string> texts{"", " the theatre", "There's\n\u00e9t\u00e9 \U0001f600", "<unk>[CLS]"};
  const std::vector<tokenizer_training> all{byte_pair_training{.size = 262}, word_piece_training{.size = 60},
                                            word_training{.punctuation = true}, character_training{}};
  for (const tokenizer_training& how : all) {
    tokenizer_trainer trainer(how);
    trainer.add("the theatre there then");
    check_kept(trainer.train(), texts);
  }
  check_kept(byte_tokenizer({"<s>"}), texts);
}

TEST_CASE("a tokenizer's file is whole or not there", "[save_tokenizer]") {
  const temporary_folder there;
  const tokenizer tokens = byte_tokenizer();
  save_tokenizer(there / "t.json", tokens);
  CHECK(load_tokenizer(there / "t.json").encode("a").ids == tokens.encode("a").ids);
  CHECK_THROWS_AS(save_tokenizer(there / "no/t.json", tokens), error);
  CHECK(std::distance(std::filesystem::directory_iterator(there.path()), {}) == 1);
}

TEST_CASE("a SentencePiece model is kept in its own file", "[save_tokenizer]") {
  CHECK_THROWS_WITH(to_json(load_tokenizer(folder + "tokenizer_sentencepiece_plain.model")),
                    "a SentencePiece model has no form as tokenizer.json: keep its own file");
}
