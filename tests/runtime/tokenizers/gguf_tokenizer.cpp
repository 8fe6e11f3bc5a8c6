#include <fovea/runtime/tokenizers/gguf_tokenizer.hpp>

#include "../../gguf_writer.hpp"
#include "../../weights/temporary_folder.hpp"
#include "packed_copy.hpp"

#include <fovea/base/error.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/weights/gguf.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <optional>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

using id_list = std::vector<token_id>;
using list = std::vector<std::string>;

/// The metadata of a vocabulary, to be changed.
struct description {
  std::string model;
  list tokens;
  std::vector<std::int32_t> types;
  std::vector<float> scores{};
  list merges{};
  std::vector<std::pair<std::string, std::uint32_t>> numbers{};
  std::string words{};

  std::string file() const {
    gguf_writer w;
    const auto texts = [&](const char* key, const list& values) {
      std::string all;
      for (const std::string& value : values) all += gguf_writer::text(value);
      if (!values.empty()) w.add_array(key, gguf_type::text, values.size(), all);
    };
    if (!model.empty()) w.add("tokenizer.ggml.model", model);
    if (!words.empty()) w.add("tokenizer.ggml.pre", words);
    texts("tokenizer.ggml.tokens", tokens);
    texts("tokenizer.ggml.merges", merges);
    if (!types.empty())
      w.add_array("tokenizer.ggml.token_type", gguf_type::int32, types.size(), bytes_of(types));
    if (!scores.empty())
      w.add_array("tokenizer.ggml.scores", gguf_type::float32, scores.size(), bytes_of(scores));
    for (const auto& [key, value] : numbers) w.add("tokenizer.ggml." + key, value);
    return w.file();
  }
  tokenizer made() const {
    const temporary_folder folder;
    return load_tokenizer(folder.write("x.gguf", file()));
  }
  std::optional<tokenizer> packed() const {
    const temporary_folder folder;
    return packed_copy(folder.write("x.gguf", file()));
  }
};

description pieces() {
  description d{"llama", {"<unk>", "<s>", "</s>", "<u>"}, {2, 3, 3, 4}, {0, 0, 0, 0}};
  constexpr char digits[] = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte) {
    d.tokens.push_back(std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">");
    d.types.push_back(6);
    d.scores.push_back(0);
  }
  const std::vector<std::pair<std::string, float>> more{
      {"\u2581", -9}, {"a", -9}, {"b", -9}, {"ab", -2}, {"ba", -1}, {"\u2581a", -3}, {"aba", -4}};
  for (const auto& [token, score] : more) {
    d.tokens.push_back(token);
    d.types.push_back(1);
    d.scores.push_back(score);
  }
  d.numbers = {{"bos_token_id", 1}, {"eos_token_id", 2}, {"unknown_token_id", 0}};
  return d;
}

description byte_level() {
  return {.model = "gpt2",
          .tokens = {"a", "b", "\u0120", "ab", "<|end|>"},
          .types = {1, 1, 1, 1, 3},
          .merges = {"a b"},
          .numbers = {{"bos_token_id", 4}, {"eos_token_id", 4}},
          .words = "gpt-2"};
}

description words() {
  return {.model = "bert",
          .tokens = {"[UNK]", "[CLS]", "[SEP]", "\u2581a", "b", "\u2581b", "[unused1]"},
          .types = {3, 3, 3, 1, 1, 1, 1},
          .numbers = {{"unknown_token_id", 0}, {"cls_token_id", 1}, {"seperator_token_id", 2}}};
}

list spelt(const tokenizer& tokens, const std::string& text, bool special = false) {
  list result;
  for (const token_id id : tokens.encode(text, {.special = special}).ids)
    result.emplace_back(tokens.token(id));
  return result;
}

std::string refusal(const description& d) {
  try {
    d.made();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

} // namespace

TEST_CASE("a packed tokenizer does what that of the GGUF file does", "[gguf_tokenizer]") {
  description tied = pieces(), prefixed = byte_level(), around = byte_level();
  for (float& score : tied.scores) score = std::max(score, -3.0f); // "ab", "ba" and others are one rank
  prefixed.numbers.emplace_back("add_space_prefix", 1);
  around.numbers.emplace_back("add_bos_token", 1);
  around.words = "llama-bpe";
  for (const description& d : {pieces(), tied, byte_level(), prefixed, around, words()}) {
    CAPTURE(d.model, d.words);
    const tokenizer tokens = d.made();
    const std::optional<tokenizer> packed = d.packed();
    REQUIRE(packed);
    REQUIRE(packed->vocabulary_size() == tokens.vocabulary_size());
    for (const char* text : {"", "aba", "abab a", "<s> <u>ab<|end|>", "b b\u20ac", "[SEP]a bb"}) {
      INFO(text);
      const token_encoding found = tokens.encode(text), pair = tokens.encode_pair(text, "ab");
      CHECK(packed->encode(text).ids == found.ids);
      CHECK(packed->encode_pair(text, "ab").ids == pair.ids);
      CHECK(packed->encode_pair(text, "ab").type_ids == pair.type_ids);
      for (const bool skip : {false, true})
        CHECK(packed->decode(found.ids, skip) == tokens.decode(found.ids, skip));
    }
  }
}

TEST_CASE("a GGUF file whose tokenizer says more than a tokenizer.json is not packed", "[gguf_tokenizer]") {
  description cut = byte_level(), prefixed = byte_level(), hidden = pieces();
  cut.words = "deepseek-llm";
  CHECK_FALSE(cut.packed());
  prefixed.words = "llama-bpe";
  prefixed.numbers.emplace_back("add_space_prefix", 1);
  CHECK_FALSE(prefixed.packed());
  hidden.scores.back() = -std::numeric_limits<float>::infinity();
  CHECK_FALSE(hidden.packed());
}

TEST_CASE("pieces with scores merge the highest first", "[gguf_tokenizer]") {
  const tokenizer tokens = pieces().made();
  CHECK(spelt(tokens, "") == list{});
  CHECK(spelt(tokens, "aba") == list{"\u2581a", "ba"});
  CHECK(spelt(tokens, "  ab") == list{"\u2581", "\u2581", "\u2581", "ab"});
  CHECK(spelt(tokens, "a\u00e9") == list{"\u2581a", "<0xC3>", "<0xA9>"});
  CHECK(spelt(tokens, "a<s>a<u>") == list{"\u2581a", "<s>", "\u2581a", "<u>"});
  CHECK(spelt(tokens, "a", true) == list{"<s>", "\u2581a"});
  for (const std::string text : {"", " ", "  ab", "a\u00e9\U0001f600"})
    CHECK(tokens.decode(tokens.encode(text).ids) == text);
  CHECK_THROWS_WITH(tokens.encode("\xff"), "text: expected UTF-8; found byte 0xff at offset 0");
}

TEST_CASE("what goes around a text is the file's choice", "[gguf_tokenizer]") {
  description d = pieces();
  d.numbers.emplace_back("add_bos_token", 0);
  d.numbers.emplace_back("add_eos_token", 1);
  d.numbers.emplace_back("add_space_prefix", 0);
  const tokenizer tokens = d.made();
  CHECK(spelt(tokens, "a", true) == list{"a", "</s>"});
  CHECK(tokens.decode(tokens.encode(" a").ids) == " a");
  CHECK(spelt(byte_level().made(), "a", true) == list{"a"});
  description both = byte_level();
  both.numbers.emplace_back("add_bos_token", 1);
  CHECK(spelt(both.made(), "a", true) == list{"<|end|>", "a"});
  description words_ask = byte_level();
  words_ask.words = "tekken";
  CHECK(spelt(words_ask.made(), "a", true) == list{"<|end|>", "a"});
  both.words = "glm4";
  CHECK(spelt(both.made(), "a", true) == list{"a"});
}

TEST_CASE("byte-level merges and word pieces", "[gguf_tokenizer]") {
  CHECK(spelt(byte_level().made(), "ab ab<|end|>b") == list{"ab", "\u0120", "ab", "<|end|>", "b"});
  description d = byte_level();
  d.tokens = {"a", "b", "!", "!a", "<|end|>", "1", "11", "111", "!ab"};
  d.types = {1, 1, 1, 1, 3, 1, 1, 1, 1};
  d.merges = {"! a", "1 1", "11 1"};
  CHECK(spelt(d.made(), "!a111!ab") == list{"!", "a", "111", "!", "a", "b"});
  d.words = "llama-bpe";
  CHECK(spelt(d.made(), "!a1111!ab") ==
        list{"!a", "111", "1", "!ab"}); // a word that is a token is that token
  d.words = "qwen2";
  CHECK(spelt(d.made(), "!a111!ab") == list{"!a", "1", "1", "1", "!a", "b"});
  d.words = "falcon"; // punctuation apart, digits by three
  CHECK(spelt(d.made(), "!a1111!ab") == list{"!", "a", "111", "1", "!", "a", "b"});
  const tokenizer tokens = words().made();
  CHECK(spelt(tokens, "AB b", true) == list{"[CLS]", "a", "##b", "b", "[SEP]"});
  CHECK(spelt(tokens, "c[SEP]") == list{"[UNK]", "[SEP]"});
  CHECK(tokens.encode_pair("a", "b").ids == id_list{1, 3, 2, 5, 2});
  CHECK(tokens.encode_pair("a", "b").type_ids == id_list{0, 0, 0, 1, 1});
  CHECK(tokens.id("[unused1]") == 6);
}

TEST_CASE("metadata that make no tokenizer are refused", "[gguf_tokenizer]") {
  const auto changed = [](description d, auto change) {
    change(d);
    return refusal(d);
  };
  CHECK_THAT(changed(pieces(), [](auto& d) { d.model = ""; }),
             EndsWith("x.gguf: expected a key 'tokenizer.ggml.model'; found none"));
  CHECK_THAT(changed(pieces(), [](auto& d) { d.model = "t5"; }),
             EndsWith("x.gguf: key 'tokenizer.ggml.model': expected gpt2, llama or bert; found t5"));
  const std::string unknown = changed(byte_level(), [](auto& d) { d.words = "afmoe"; });
  CHECK_THAT(unknown, Contains("key 'tokenizer.ggml.pre': expected a.x-4.0, bailingmoe, ") &&
                          EndsWith(", viking, youtu; found afmoe"));
  CHECK_THAT(changed(byte_level(), [](auto& d) { d.tokens.clear(); }),
             EndsWith("expected a vocabulary in 'tokenizer.ggml.tokens'"));
  CHECK_THAT(changed(byte_level(), [](auto& d) { d.merges.clear(); }),
             EndsWith("expected a key 'tokenizer.ggml.merges'; found none"));
  CHECK_THAT(changed(byte_level(), [](auto& d) { d.merges = {"ab"}; }),
             EndsWith("key 'tokenizer.ggml.merges': expected two tokens; found 'ab'"));
  CHECK_THAT(changed(byte_level(), [](auto& d) { d.types.pop_back(); }),
             EndsWith("key 'tokenizer.ggml.token_type': expected a value for each of 5 tokens; found 4"));
  CHECK_THAT(changed(pieces(), [](auto& d) { d.scores.pop_back(); }),
             EndsWith("key 'tokenizer.ggml.scores': expected a value for each of 267 tokens; found 266"));
  CHECK_THAT(changed(pieces(), [](auto& d) { d.scores.clear(); }),
             EndsWith("expected a key 'tokenizer.ggml.scores'; found none"));
  CHECK_THAT(changed(words(), [](auto& d) { d.numbers[1].second = 7; }),
             EndsWith("key 'tokenizer.ggml.cls_token_id': expected an id of 0 to 6; found 7"));
  CHECK_THAT(changed(words(), [](auto& d) { d.tokens[3] = "\xff"; }),
             EndsWith("token 3: expected UTF-8; found '##\ufffd'"));
  CHECK_THAT(changed(words(), [](auto& d) { d.tokens[5] = "\u2581a"; }),
             EndsWith("token 'a' has two ids, 3 and 5"));
}
