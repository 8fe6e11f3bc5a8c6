#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include "../../golden_folder.hpp"
#include "../../weights/temporary_folder.hpp"
#include "golden_lines.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/joined_threads.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <random>
#include <string_view>

using namespace fovea;
using namespace fovea::core;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

using id_list = std::vector<token_id>;

/// Tokens 0 to 4: [UNK] [CLS] [SEP] [MASK] <x>; then a, b, ##b, c.
json small_word_piece() {
  return {
      {"added_tokens",
       {{{"id", 0}, {"content", "[UNK]"}, {"special", true}},
        {{"id", 1}, {"content", "[CLS]"}, {"special", true}},
        {{"id", 2}, {"content", "[SEP]"}, {"special", true}},
        {{"id", 3}, {"content", "[MASK]"}, {"special", true}, {"lstrip", true}, {"rstrip", true}},
        {{"id", 4}, {"content", "<x>"}, {"single_word", true}}}},
      {"normalizer", {{"type", "BertNormalizer"}}},
      {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
      {"post_processor", {{"type", "BertProcessing"}, {"sep", {"[SEP]", 2}}, {"cls", {"[CLS]", 1}}}},
      {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
      {"model",
       {{"type", "WordPiece"},
        {"vocab",
         {{"[UNK]", 0}, {"[CLS]", 1}, {"[SEP]", 2}, {"a", 5}, {"b", 6}, {"##b", 7}, {"c", 8}, {".", 9}}}}}};
}

json small_byte_level() {
  return {
      {"added_tokens", {{{"id", 4}, {"content", "<|end|>"}, {"special", true}, {"normalized", true}}}},
      {"normalizer", nullptr},
      {"pre_tokenizer", {{"type", "ByteLevel"}}},
      {"decoder", {{"type", "ByteLevel"}}},
      {"model",
       {{"type", "BPE"}, {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}, {"\u0120", 3}}}, {"merges", {"a b"}}}}};
}

/// CLIP's kind: tokens that end a word are spelt so.
json small_clip() {
  json file = small_byte_level();
  file["normalizer"] = {
      {"type", "Sequence"},
      {"normalizers",
       {{{"type", "Replace"}, {"pattern", {{"Regex", "\\s+"}}}, {"content", " "}}, {{"type", "Lowercase"}}}}};
  file["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers",
                            {{{"type", "Split"},
                              {"pattern",
                               {{"Regex", "<\\|startoftext\\|>|<\\|endoftext\\|>|'s|'t|'re|'ve|'m|'ll|'d|["
                                          "\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+"}}},
                              {"behavior", "Removed"},
                              {"invert", true}},
                             {{"type", "ByteLevel"}, {"add_prefix_space", false}}}}};
  file["model"]["end_of_word_suffix"] = "</w>";
  file["model"]["vocab"] = {{"a", 0}, {"b", 1}, {"ab", 2}, {"a</w>", 3}, {"b</w>", 5}, {"ab</w>", 6}};
  file["model"]["merges"] = {"a b", "a b</w>"};
  return file;
}

/// Unigram with SentencePiece's marks: <unk> <s>, then pieces.
json small_unigram() {
  return {
      {"added_tokens", {{{"id", 0}, {"content", "<unk>"}, {"special", true}}}},
      {"normalizer", {{"type", "Sequence"}, {"normalizers", {{{"type", "NFKC"}}, {{"type", "Lowercase"}}}}}},
      {"pre_tokenizer", {{"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", "always"}}},
      {"decoder", {{"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", "always"}}},
      {"model",
       {{"type", "Unigram"},
        {"unk_id", 0},
        {"vocab",
         json::array({json::array({"<unk>", 0.0}), json::array({"\u2581", -3.0}), json::array({"a", -2.5}),
                      json::array({"b", -2.5}), json::array({"\u2581ab", -4.0})})}}}};
}

/// Llama 2's kind: BPE over characters with byte fallback.
json small_characters() {
  return {{"normalizer",
           {{"type", "Sequence"},
            {"normalizers",
             {{{"type", "Prepend"}, {"prepend", "\u2581"}},
              {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "\u2581"}}}}}},
          {"pre_tokenizer", nullptr},
          {"decoder",
           {{"type", "Sequence"},
            {"decoders",
             {{{"type", "Replace"}, {"pattern", {{"String", "\u2581"}}}, {"content", " "}},
              {{"type", "ByteFallback"}},
              {{"type", "Fuse"}},
              {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}}},
          {"model",
           {{"type", "BPE"},
            {"unk_token", "<unk>"},
            {"byte_fallback", true},
            {"fuse_unk", true},
            {"vocab",
             {{"<unk>", 0},
              {"\u2581", 1},
              {"a", 2},
              {"b", 3},
              {"ab", 4},
              {"\u2581ab", 5},
              {"<0xC3>", 6},
              {"<0xA9>", 7}}},
            {"merges", {"a b", "\u2581 ab"}}}}};
}

json llama3_words() {
  return {{"type", "Sequence"},
          {"pretokenizers",
           {{{"type", "Split"},
             {"pattern",
              {{"Regex", "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
                         "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}}},
             {"behavior", "Isolated"},
             {"invert", false}},
            {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}};
}

tokenizer made(const json& file) { return parse_tokenizer(file.dump(), "tokenizer.json"); }

std::string refusal(const json& file) {
  try {
    made(file);
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

} // namespace

TEST_CASE("special tokens go around a text and a pair", "[tokenizer]") {
  const tokenizer tokens = made(small_word_piece());
  CHECK(tokens.encode("ab c").ids == id_list{1, 5, 7, 8, 2});
  CHECK(tokens.encode("ab c", {.special = false}).ids == id_list{5, 7, 8});
  CHECK(tokens.encode("").ids == id_list{1, 2});
  const token_encoding pair = tokens.encode_pair("a", "b b");
  CHECK(pair.ids == id_list{1, 5, 2, 6, 6, 2});
  CHECK(pair.type_ids == id_list{0, 0, 0, 1, 1, 1});
  CHECK(tokens.encode_pair("a", "b", {.special = false}).type_ids == id_list{0, 1});

  json roberta = small_word_piece();
  roberta["post_processor"]["type"] = "RobertaProcessing";
  CHECK(made(roberta).encode_pair("a", "b").ids == id_list{1, 5, 2, 2, 6, 2});
  CHECK(made(roberta).encode_pair("a", "b").type_ids == id_list(6, 0));
}

TEST_CASE("a text is cut to a length, special tokens kept", "[tokenizer]") {
  const tokenizer tokens = made(small_word_piece());
  CHECK(tokens.encode("a b c", {.max_length = 5}).ids == id_list{1, 5, 6, 8, 2});
  CHECK(tokens.encode("a b c", {.max_length = 4}).ids == id_list{1, 5, 6, 2});
  CHECK(tokens.encode("a b c", {.max_length = 2}).ids == id_list{1, 2});
  CHECK(tokens.encode("a b c", {.special = false, .max_length = 2}).ids == id_list{5, 6});
  CHECK_THROWS_WITH(tokens.encode("a", {.max_length = 1}),
                    "max_length: expected room for 2 special tokens; found 1");
}

TEST_CASE("the longer text of a pair is cut first", "[tokenizer]") {
  const tokenizer tokens = made(small_word_piece());
  const auto lengths = [&](const std::string& first, const std::string& second, std::size_t most) {
    const auto types = tokens.encode_pair(first, second, {.special = false, .max_length = most}).type_ids;
    const auto of_second = static_cast<std::size_t>(std::count(types.begin(), types.end(), 1));
    return std::pair(types.size() - of_second, of_second);
  };
  using two = std::pair<std::size_t, std::size_t>;
  CHECK(lengths("a a", "b b b b b b", 8) == two{2, 6});
  CHECK(lengths("a a", "b b b b b b", 6) == two{2, 4});
  CHECK(lengths("a a a a a a", "b b", 6) == two{4, 2});
  CHECK(lengths("a a", "b b b b b b", 3) == two{1, 2});
  CHECK(lengths("a a a a", "b b b b", 5) == two{2, 3});
  CHECK(lengths("a a a a", "b b b b", 1) == two{0, 1});
}

TEST_CASE("added tokens are found as they are spelt", "[tokenizer]") {
  const tokenizer tokens = made(small_word_piece());
  const auto ids = [&](const std::string& text) { return tokens.encode(text, {.special = false}).ids; };
  CHECK(ids("a[SEP]b") == id_list{5, 2, 6});
  CHECK(ids("a[sep]b") == id_list{5, 0, 0, 0, 6});
  CHECK(ids("[CLS][SEP]") == id_list{1, 2});
  CHECK(ids("a <x> b") == id_list{5, 4, 6});
  CHECK(ids("a<x> b") == id_list{5, 0, 0, 0, 6}); // touches a word
  CHECK(ids("<x>.<x>") == id_list{4, 9, 4});
}

TEST_CASE("an added token may take the white space around it", "[tokenizer]") {
  // With byte-level BPE white space is visible.
  json file = small_byte_level();
  file["pre_tokenizer"]["add_prefix_space"] = false;
  const auto ids = [&](bool left, bool right) {
    file["added_tokens"][0]["lstrip"] = left;
    file["added_tokens"][0]["rstrip"] = right;
    return made(file).encode("a <|end|> b").ids;
  };
  CHECK(ids(false, false) == id_list{0, 3, 4, 3, 1});
  CHECK(ids(true, false) == id_list{0, 4, 3, 1});
  CHECK(ids(false, true) == id_list{0, 3, 4, 1});
  CHECK(ids(true, true) == id_list{0, 4, 1});
}

TEST_CASE("of added tokens at one place the longest is taken", "[tokenizer]") {
  json file = small_byte_level();
  file["added_tokens"].push_back({{"id", 5}, {"content", "<|end|><|end|>"}});
  CHECK(made(file).encode("<|end|><|end|><|end|>").ids == id_list{5, 4});
}

TEST_CASE("a normalised added token is looked for in the normalised text", "[tokenizer]") {
  json file = small_word_piece();
  file["added_tokens"].push_back({{"id", 10}, {"content", "Caf\u00e9"}, {"normalized", true}});
  CHECK(made(file).encode("a CAFE b", {.special = false}).ids == id_list{5, 10, 6});
}

TEST_CASE("byte-level BPE puts a space in front where the file says so", "[tokenizer]") {
  json file = small_byte_level();
  CHECK(made(file).encode("ab ab").ids == id_list{3, 2, 3, 2});
  CHECK(made(file).encode(" ab").ids == id_list{3, 2});
  CHECK(made(file).encode("").ids == id_list{});
  file["pre_tokenizer"]["add_prefix_space"] = false;
  CHECK(made(file).encode("ab ab").ids == id_list{2, 3, 2});
  file["model"]["merges"] = json::array({json::array({"a", "b"})});
  CHECK(made(file).encode("ab").ids == id_list{2});
}

TEST_CASE("ids become text again", "[tokenizer]") {
  const tokenizer word_piece = made(small_word_piece());
  CHECK(word_piece.decode(id_list{1, 5, 7, 8, 9, 2}) == "ab c.");
  CHECK(word_piece.decode(id_list{1, 5, 7, 8, 9, 2}, false) == "[CLS] ab c. [SEP]");
  CHECK(word_piece.decode({}) == "");
  CHECK_THROWS_WITH(word_piece.decode(id_list{10}), "token id: expected 0 to 9; found 10");
  CHECK_THROWS_WITH(word_piece.token(-1), "token id: expected 0 to 9; found -1");
  const tokenizer byte_level = made(small_byte_level());
  CHECK(byte_level.decode(id_list{3, 2, 3, 2, 4}) == " ab ab");
  CHECK(byte_level.decode(id_list{2, 4}, false) == "ab<|end|>");
}

TEST_CASE("Unigram and BPE over characters with SentencePiece's marks", "[tokenizer]") {
  const tokenizer unigram = made(small_unigram());
  CHECK(unigram.encode("AB  a\uff22").ids == id_list{4, 1, 4});
  CHECK(unigram.encode("c").ids == id_list{1, 0});
  CHECK(unigram.decode(id_list{4, 1, 2, 0}) == "ab a");
  CHECK(unigram.decode(id_list{4, 1, 2, 0}, false) == "ab a<unk>");
  const tokenizer characters = made(small_characters());
  CHECK(characters.encode("ab\u00e9 xyab").ids == id_list{5, 6, 7, 1, 0, 4});
  CHECK(characters.decode(characters.encode(" ab\u00e9 b").ids) == " ab\u00e9 b");
  for (const tokenizer* tokens : {&unigram, &characters}) CHECK(tokens->encode("").ids.empty());

  json file = small_unigram();
  file["model"]["unk_id"] = 5;
  CHECK(refusal(file) == "tokenizer.json: model: expected unk_id to be the id of a token; found 5");
  file["model"]["unk_id"] = nullptr;
  CHECK_THROWS_WITH(made(file).encode("c"),
                    "text: no token covers 'c', and the vocabulary has no unknown token");
  // An added token beyond the pieces has no score: a text that spells it becomes it, nothing else does.
  file = small_unigram();
  file["added_tokens"].push_back({{"id", 5}, {"content", "ba"}, {"single_word", true}});
  CHECK(made(file).encode("ba aba").ids == id_list{5, 4, 2});
  file = small_characters();
  file["model"]["unk_token"] = "none";
  CHECK(refusal(file) == "tokenizer.json: expected a token 'none' in the vocabulary");
}

TEST_CASE("Llama 3's words and post-processors", "[tokenizer]") {
  json file = small_byte_level();
  file["pre_tokenizer"] = llama3_words();
  file["model"]["vocab"] = {{"a", 0}, {"b", 1}, {"ab", 2}, {"\u0120", 3}, {"!", 5}, {"!a", 6}};
  file["model"]["merges"] = {"a b", "! a"};
  file["post_processor"] = {
      {"type", "Sequence"},
      {"processors",
       {{{"type", "ByteLevel"}},
        {{"type", "BertProcessing"}, {"sep", {"<|end|>", 4}}, {"cls", {"<|end|>", 4}}}}}};
  CHECK(made(file).encode("ab!a").ids == id_list{4, 2, 6, 4}); // "!a" is one word, of GPT-2's pattern two
  file["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  CHECK(made(file).encode("ab!a").ids == id_list{4, 2, 5, 0, 4});
}

TEST_CASE("whole words", "[tokenizer]") {
  json file{{"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
            {"model", {{"type", "WordLevel"}, {"vocab", {{"[UNK]", 0}, {"a", 1}}}, {"unk_token", "[UNK]"}}}};
  CHECK(made(file).encode(" a\tb a ").ids == id_list{1, 0, 1});
  CHECK(made(file).decode(id_list{1, 0, 1}) == "a [UNK] a");
  file["model"].erase("unk_token");
  CHECK_THROWS_WITH(made(file).encode("b"), "text: 'b' is no token, and the vocabulary has no unknown token");
}

TEST_CASE("tokens can be asked for", "[tokenizer]") {
  const tokenizer tokens = made(small_word_piece());
  CHECK(tokens.vocabulary_size() == 10);
  CHECK(tokens.id("##b") == 7);
  CHECK(tokens.id("[MASK]") == 3);
  CHECK(!tokens.id("zebra"));
  CHECK(tokens.token(7) == "##b");
}

TEST_CASE("text that is not UTF-8 is refused", "[tokenizer]") {
  const tokenizer tokens = made(small_word_piece());
  CHECK_THROWS_WITH(tokens.encode("ab\xff"), "text: expected UTF-8; found byte 0xff at offset 2");
  CHECK_THROWS_WITH(tokens.encode_pair("a", "\xc3"), "text: expected UTF-8; found byte 0xc3 at offset 0");
}

TEST_CASE("the word cache never changes what comes out", "[tokenizer]") {
  const std::string folder = std::string(test::golden_folder) + "/";
  const tokenizer fresh = load_tokenizer(folder + "tokenizer_bpe.tokenizer.json");
  // More distinct words than the cache holds, some longer than it keeps.
  std::string text;
  for (int i = 0; i < 40000; ++i) text += " w" + std::to_string(i);
  text += " " + std::string(300, 'x');
  const auto first = fresh.encode(text).ids;
  CHECK(fresh.encode(text).ids == first);
  CHECK(fresh.decode(first) == text);
}

TEST_CASE("several threads may use one tokenizer", "[tokenizer][threads]") {
  const std::string folder = std::string(test::golden_folder) + "/";
  const tokenizer tokens = load_tokenizer(folder + "tokenizer_wordpiece.tokenizer.json");
  const auto lines = json_lines(folder + "tokenizer_wordpiece.jsonl");
  std::atomic<int> wrong{0};
  {
    fovea::core::joined_threads threads;
    for (int t = 0; t < 4; ++t)
      threads.start([&] {
        for (const auto& line : lines)
          wrong += tokens.encode(line["text"].get<std::string>(), {.special = false}).ids !=
                   line["ids"].get<id_list>();
      });
  }
  CHECK(wrong == 0);
}

TEST_CASE("files that are no tokenizer are refused", "[tokenizer]") {
  CHECK_THROWS_WITH(parse_tokenizer("{", "t.json"), Contains("t.json: not valid JSON"));
  CHECK_THROWS_WITH(parse_tokenizer("", "t.json"), Contains("t.json: not valid JSON"));
  for (const std::string& deep : {deep_lists(), deep_objects()})
    for (const std::string& text :
         {deep, R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[)" + deep + "]}}",
          R"({"model":{"type":"BPE","vocab":{"a":)" + deep + "}}}",
          R"({"model":{"type":"WordPiece","vocab":{"[UNK]":0}},"normalizer":)" + deep + "}",
          R"({"model":{"type":"WordPiece","vocab":{"[UNK]":0}},"post_processor":)" + deep + "}"})
      CHECK_THROWS_WITH(parse_tokenizer(text, "t.json"),
                        "t.json: expected lists and objects nested at most 64 deep; found more");
  const std::string word(1 << 20, 'w');
  for (const std::string& text :
       {R"({"model":{"type":")" + word + R"(","vocab":{"a":0}}})",
        R"({"model":{"vocab":{")" + word + R"(":-1}}})",
        R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[[")" + word + R"("]]}})",
        R"({"model":{"type":"WordPiece","vocab":{"[UNK]":0}},"normalizer":{"type":")" + word + "\"}}"}) {
    const std::string said = message_of<error>([&] { parse_tokenizer(text, "t.json"); });
    CHECK_THAT(said, Contains("wwww…"));
    CHECK(said.size() < 400);
  }
  CHECK_THROWS_WITH(parse_tokenizer("[]", "t.json"), "t.json: expected a JSON object; found array");
  CHECK_THROWS_WITH(load_tokenizer("no/such/tokenizer.json"),
                    "no/such/tokenizer.json: cannot open: No such file or directory");
  CHECK_THROWS_WITH(load_tokenizer(""), "expected the path of a file; found an empty one");
  const temporary_folder folder;
  for_each_irregular(folder, [](const std::filesystem::path& path, const std::string& what) {
    CHECK_THROWS_WITH(load_tokenizer(path), path.string() + what);
  });
  json file = small_word_piece();
  file["model"]["vocab"]["z"] = "x";
  CHECK(refusal(file) == "tokenizer.json: token 'z': expected an id; found \"x\"");
  file = small_word_piece();
  file["model"]["vocab"]["z"] = 5;
  CHECK(refusal(file) == "tokenizer.json: token 'z' and 'a' have the same id, 5");
  file = small_word_piece();
  file["model"].erase("vocab");
  CHECK(refusal(file) == "tokenizer.json: model: expected vocab to hold tokens");
  file = small_word_piece();
  file["added_tokens"][0].erase("content");
  CHECK_THAT(refusal(file),
             Contains("tokenizer.json: expected the layout of tokenizer.json") && Contains("content"));
  file = small_word_piece();
  file["post_processor"]["sep"] = {"[SEP]", 3};
  CHECK(refusal(file) == "tokenizer.json: post_processor: sep: expected '[SEP]' to have id 2; found 3");
  file = small_byte_level();
  file["model"]["merges"] = {"a b", "ab"};
  CHECK(refusal(file) == "tokenizer.json: merges: expected two tokens; found \"ab\"");
}

TEST_CASE("the last token of a word is spelt with the end of a word", "[tokenizer]") {
  CHECK(made(small_clip()).encode("aB \t b a<|end|>aba").ids == id_list{6, 5, 3, 4, 2, 3});
  json whole = small_clip();
  whole["model"]["merges"] = json::array();
  CHECK(made(whole).encode("ab").ids == id_list{0, 5});
  whole["model"]["ignore_merges"] = true;
  CHECK(made(whole).encode("ab").ids == id_list{6});
  whole["model"]["end_of_word_suffix"] = std::string(65, 'w');
  CHECK(refusal(whole) ==
        "tokenizer.json: model: expected an end_of_word_suffix of at most 64 bytes; found 65");
}

TEST_CASE("a damaged file is refused or read, and what is read works", "[tokenizer]") {
  constexpr std::string_view replacements = "\"{}[]:,0123456789eE+-.abnult \xff";
  std::mt19937 random(5);
  int refused = 0;
  for (const json& file :
       {small_word_piece(), small_byte_level(), small_clip(), small_unigram(), small_characters()}) {
    const std::string whole = file.dump();
    for (int round = 0; round < 3000; ++round) {
      std::string damaged = whole;
      for (auto changes = 1 + random() % 3; changes > 0; --changes)
        damaged[random() % damaged.size()] = replacements[random() % replacements.size()];
      try {
        const tokenizer tokens = parse_tokenizer(damaged);
        const auto ids = tokens.encode("a [SEP] ab<|end|>c\u00e9", {.max_length = 50}).ids;
        if (std::ranges::all_of(ids, [&](token_id id) { return id >= 0; })) tokens.decode(ids);
      } catch (const error&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("what is not supported is named, and what is", "[tokenizer]") {
  const auto changed = [](json file, const json::json_pointer& where, const json& value) {
    file[where] = value;
    return refusal(file);
  };
  const auto refused = [&](const json& file, const char* where, const json& value, const char* stage) {
    INFO(where);
    CHECK_THAT(changed(file, json::json_pointer(where), value),
               Catch::StartsWith("tokenizer.json: " + std::string(stage) + " is not supported: expected "));
  };
  refused(small_word_piece(), "/model/type", "Other", "model 'Other'");
  refused(small_word_piece(), "/normalizer/type", "Nmt", "normalizer 'Nmt'");
  refused(small_word_piece(), "/pre_tokenizer/type", "Digits", "pre_tokenizer 'Digits'");
  refused(small_word_piece(), "/pre_tokenizer/type", "ByteLevel",
          "pre_tokenizer 'ByteLevel' with model 'WordPiece'");
  refused(small_byte_level(), "/pre_tokenizer", nullptr,
          "decoder 'ByteLevel' without pre_tokenizer 'ByteLevel'");
  refused(small_byte_level(), "/model/dropout", 0.1, "model 'BPE with dropout'");
  refused(small_byte_level(), "/model/continuing_subword_prefix", "@@",
          "model 'BPE with continuing_subword_prefix'");
  refused(small_characters(), "/model/end_of_word_suffix", "</w>",
          "model 'BPE over characters with end_of_word_suffix'");
  refused(small_word_piece(), "/decoder/type", "CTC", "decoder 'CTC'");
  refused(small_word_piece(), "/normalizer",
          {{"type", "Replace"}, {"pattern", {{"Regex", "a+"}}}, {"content", "b"}},
          "normalizer 'Replace of a Regex'");
  refused(small_word_piece(), "/decoder",
          {{"type", "Sequence"}, {"decoders", json::array({{{"type", "WordPiece"}}})}},
          "decoder 'Sequence with WordPiece'");
  CHECK_THAT(changed(small_word_piece(), "/post_processor/type"_json_pointer, "Other"),
             Contains("post_processor 'Other' is not supported"));
  json words = small_byte_level();
  words["pre_tokenizer"] = llama3_words();
  words["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "a+";
  CHECK_THAT(refusal(words),
             Contains("pre_tokenizer 'Sequence' is not supported: expected a Split by the pattern"));
}

TEST_CASE("an empty token stands for nothing", "[tokenizer]") {
  json file = small_word_piece();
  const tokenizer without = parse_tokenizer(file.dump());
  file["model"]["vocab"][""] = 20;
  file["added_tokens"].push_back({{"id", 21}, {"content", ""}, {"special", true}});
  file["added_tokens"].push_back({{"id", 22}, {"content", "<y>"}});
  const tokenizer with = parse_tokenizer(file.dump());
  CHECK(with.vocabulary_size() == 23);
  CHECK(with.encode("ab c <x> a").ids == without.encode("ab c <x> a").ids);
  CHECK(with.decode(id_list{5, 20, 21, 6}) == with.decode(id_list{5, 6}));
  CHECK(!with.id(""));
}
