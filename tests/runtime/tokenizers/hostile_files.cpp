#include <fovea/runtime/tokenizers/llama2c_tokenizer.hpp>
#include <fovea/runtime/tokenizers/normalizer.hpp>
#include <fovea/runtime/tokenizers/sentence_piece.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include "../../gguf_writer.hpp"

#include <fovea/base/error.hpp>
#include <fovea/runtime/tokenizers/decoder.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace fovea;
using namespace fovea::core;
using fovea::core::test::bytes_of;
using nlohmann::json;

// Files that are small, and texts that are ordinary: what they cost must not be out of all proportion. Sizes
// are such that what takes their square would take hours, or more memory than there is.

namespace {

constexpr std::size_t large = std::size_t{1} << 21;

json unigram_file(const std::vector<std::pair<std::string, double>>& vocab) {
  return {{"added_tokens", json::array()},
          {"normalizer", nullptr},
          {"pre_tokenizer", nullptr},
          {"decoder", nullptr},
          {"model", {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocab}}}};
}

json word_piece_file(const std::string& token, std::size_t longest_word) {
  return {{"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
          {"model",
           {{"type", "WordPiece"},
            {"max_input_chars_per_word", longest_word},
            {"vocab", {{"[UNK]", 0}, {"a", 1}, {"##a", 2}, {token, 3}}}}}};
}

tokenizer made(const json& file) { return parse_tokenizer(file.dump(), "t.json"); }

template <typename function>
std::string refusal(const function& call) {
  try {
    call();
  } catch (const error& reason) {
    return reason.what();
  }
  return "";
}

json replaces(const std::string& from, const std::string& to, int times) {
  json list = json::array();
  for (int i = 0; i < times; ++i)
    list.push_back({{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}});
  return {{"type", "Sequence"}, {"normalizers", list}};
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

/// A protocol buffer's field of bytes.
std::string field(int number, const std::string& bytes) {
  std::string result(1, static_cast<char>(number << 3 | 2));
  for (std::size_t left = bytes.size();; left >>= 7) {
    result += static_cast<char>((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    if (left <= 0x7f) return result + bytes;
  }
}

std::string piece(const std::string& text, float score, char type = 1) {
  return field(1, field(1, text) + '\x15' + bytes_of(score) + '\x18' + type);
}

} // namespace

TEST_CASE("a normaliser makes at most 32 bytes of one, and 1,024", "[hostile_files]") {
  json file = unigram_file({{"<unk>", 0}, {"a", -1}});
  file["normalizer"] = replaces("a", std::string(2000, 'a'), 3);
  const tokenizer tokens = made(file);
  CHECK(refusal([&] { tokens.encode("a"); }) ==
        "text: expected the normaliser to make at most 1056 bytes of 1; found more behind step 1 of 3");
  CHECK(tokens.encode("b").ids == std::vector<token_id>{0});

  file["added_tokens"] = {{{"id", 2}, {"content", "xa"}, {"normalized", true}}};
  CHECK(
      refusal([&] { made(file); }) ==
      "t.json: text: expected the normaliser to make at most 1088 bytes of 2; found more behind step 1 of 3");

  const std::string much(3000, 'x');
  for (const normalizer_step& step :
       {normalizer_step(prepend{much}), normalizer_step(replace_text{"a", much}),
        normalizer_step(replace_space_runs{much})})
    CHECK_THROWS_AS(normalized({step}, "a  a"), error);
  const normalizer all{unicode_form::nfkc, replace_text{" ", "\u2581"}};
  CHECK(normalized(all, repeated("\ufdfa", 1000)).size() == 1000 * 39);
}

TEST_CASE("runs of marks are put in order", "[hostile_files]") {
  const std::string marks = repeated("\u0301\u0316", large / 2);
  std::string ordered = repeated("\u0316", large / 2) + repeated("\u0301", large / 2);
  CHECK((normalized({unicode_form::nfd}, "q" + marks) == "q" + ordered));
  CHECK((normalized({unicode_form::nfc}, "q" + marks) == "q" + ordered));
  CHECK(normalized({bert_normalizer()}, "q" + marks) == "q");
}

TEST_CASE("the longest token of a walk has 1,024 bytes", "[hostile_files]") {
  const std::string longest(1024, 'a'), more(3000, 'a');
  const tokenizer tokens = made(unigram_file({{"<unk>", 0}, {"a", -1}, {longest, -2}}));
  CHECK(tokens.encode(repeated(longest, 20) + "a").ids.size() == 21);
  CHECK(refusal([&] {
          made(unigram_file({{"<unk>", 0}, {"a", -1}, {more, -2}}));
        }) == "t.json: token 2: expected at most 1024 bytes; found 3000");

  json added = unigram_file({{"<unk>", 0}, {"a", -1}});
  added["added_tokens"] = {{{"id", 2}, {"content", more}}};
  CHECK(refusal([&] { made(added); }) == "t.json: added token 2: expected at most 1024 bytes; found 3000");

  CHECK(made(word_piece_file(more, 1024)).vocabulary_size() == 4);
  CHECK(refusal([&] { made(word_piece_file(more, 1025)); }) ==
        "t.json: token 3: expected at most 1024 bytes where a word may have 1025 characters; found 3000");

  std::string pieces = bytes_of(std::int32_t{1} << 20);
  const auto add = [&](const std::string& token) {
    pieces += bytes_of(0.0F) + bytes_of(static_cast<std::int32_t>(token.size())) + token;
  };
  for (const char* token : {"<unk>", "\n<s>\n", "\n</s>\n"}) add(token);
  for (int byte = 0; byte < 256; ++byte) add(fallback_token(static_cast<unsigned char>(byte)));
  add(std::string(200'000, 'a'));
  CHECK(refusal([&] { parse_llama2c_tokenizer(std::as_bytes(std::span(pieces)), "tok.bin"); }) ==
        "tok.bin: token 259: expected at most 1024 bytes; found 200000");
}

TEST_CASE("a word of any length takes time by its length", "[hostile_files]") {
  const std::string word(large, 'a');
  CHECK(made(word_piece_file("##aaaa", 2 * large)).encode(word).ids.size() ==
        1 + (large - 1) / 4 + (large - 1) % 4);
  CHECK(made(unigram_file({{"<unk>", 0}, {"a", -1}, {"aa", -1.5}})).encode(word).ids.size() == large / 2);
}

TEST_CASE("many added tokens that begin alike cost no more than one", "[hostile_files]") {
  json file = unigram_file({{"<unk>", 0}, {"<", -1}});
  for (int i = 0; i < 20'000; ++i)
    file["added_tokens"].push_back({{"id", 2 + i}, {"content", "<" + std::to_string(i) + ">"}});
  const auto ids = made(file).encode(std::string(large, '<') + "19999>").ids;
  CHECK(ids.size() == large);
  CHECK(ids.back() == 20'001);
}

TEST_CASE("runs of characters that a SentencePiece model has not", "[hostile_files]") {
  const std::string front = piece("<unk>", 0, 2) + piece("\u2581", -1) + piece("a", -1);
  for (const char model : {'\1', '\2', '\3', '\4'}) {
    const std::string trainer = field(2, std::string{'\x18', model});
    const tokenizer tokens = parse_sentence_piece(front + trainer, "x.model");
    const auto ids = tokens.encode(std::string(large, 'x') + "a").ids;
    CHECK(ids == (model == '\3' ? std::vector<token_id>{0} : std::vector<token_id>{1, 0, 2}));
  }
}

TEST_CASE("ids out of proportion to the tokens are refused", "[hostile_files]") {
  json file = word_piece_file("b", 100);
  file["model"]["vocab"]["x"] = 16'777'215;
  CHECK(refusal([&] { made(file); }) ==
        "t.json: the vocabulary: expected ids of 0 to 1063 for its 5 tokens; found 16777215");
  file["model"]["vocab"]["x"] = 1063;
  CHECK(made(file).vocabulary_size() == 1064);
}

TEST_CASE("what a text is joined with grows with the text alone", "[hostile_files]") {
  json file = unigram_file({{"<unk>", 0}, {"a", -1}});
  const json text{{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  file["post_processor"] = {{"type", "TemplateProcessing"},
                            {"single", {text, text}},
                            {"pair", {text}},
                            {"special_tokens", json::object()}};
  CHECK(refusal([&] { made(file); }) == "t.json: post_processor: expected each text once; found A again");
  file = unigram_file({{"<unk>", 0}, {"a", -1}});
  file["pre_tokenizer"] = {{"type", "Metaspace"}, {"replacement", std::string(3000, '_')}};
  CHECK(refusal([&] { made(file); }) ==
        "t.json: Metaspace: expected a replacement of one character; found 3000 bytes");
}

TEST_CASE("whole numbers of a tokenizer.json are those that their places hold", "[hostile_files]") {
  const auto refused = [](const char* place, const json& number) {
    json file = word_piece_file("b", 100);
    file["added_tokens"] = {{{"id", 4}, {"content", "<x>"}}};
    file["post_processor"] = {{"type", "TemplateProcessing"},
                              {"single",
                               {{{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                                {{"SpecialToken", {{"id", "<x>"}, {"type_id", 0}}}}}},
                              {"pair", json::array()},
                              {"special_tokens", {{"<x>", {{"ids", {4}}}}}}};
    CHECK(refusal([&] { made(file); }).empty());
    file[json::json_pointer(place)] = number;
    return refusal([&] { made(file); });
  };
  // What a cast would make 0 or 4 of, or what it has no meaning for.
  const std::string of_32_bits = ": expected a whole number from -2147483648 to 2147483647; found ";
  CHECK(refused("/added_tokens/0/id", 1e110) ==
        "t.json: added_tokens: '<x>': expected a whole number from -9223372036854775808 to "
        "9223372036854775807; found 1e+110");
  CHECK(refused("/model/max_input_chars_per_word", -1) ==
        "t.json: max_input_chars_per_word: expected a whole number from 0 to " +
            std::to_string(std::numeric_limits<std::size_t>::max()) + "; found -1");
  CHECK(refused("/post_processor/single/0/Sequence/type_id", 1e300) ==
        "t.json: post_processor: type_id" + of_32_bits + "1e+300");
  CHECK(refused("/post_processor/single/1/SpecialToken/type_id", std::int64_t{1} << 32) ==
        "t.json: post_processor: type_id" + of_32_bits + "4294967296");
  CHECK(refused("/post_processor/special_tokens/<x>/ids/0", (std::int64_t{1} << 32) + 4) ==
        "t.json: post_processor: '<x>'" + of_32_bits + "4294967300");
  CHECK(refused("/post_processor/special_tokens/<x>/ids", 4) ==
        "t.json: post_processor: expected a list of ids for '<x>'; found 4");

  json file = unigram_file({{"<unk>", 0}, {"a", -1}});
  file["model"]["unk_id"] = std::int64_t{1} << 32;
  CHECK(refusal([&] { made(file); }) == "t.json: model: unk_id" + of_32_bits + "4294967296");
}
