#include <fovea/runtime/tokenizers/byte_level.hpp>

#include "../../golden_folder.hpp"

#include <fovea/base/utf8.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <fstream>
#include <set>
#include <vector>

using namespace fovea;
using namespace fovea::core;

namespace {

using list = std::vector<std::string>;

list words(std::string_view text) {
  list result;
  for (std::size_t at = 0; at < text.size();) result.emplace_back(next_gpt2_word(text, at));
  return result;
}

} // namespace

TEST_CASE("each byte has a printable character of its own", "[byte_level]") {
  std::set<std::uint32_t> seen;
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    seen.insert(byte_character(static_cast<unsigned char>(byte)));
    all += static_cast<char>(byte);
  }
  CHECK(seen.size() == 256);
  CHECK(byte_character(' ') == 0x120);
  CHECK(byte_character('\n') == 0x10a);
  CHECK(byte_character('A') == 'A');
  CHECK(byte_character(0xad) == 0x143);
  std::string back;
  append_token_bytes(printable_bytes(all), back);
  CHECK(back == all);
}

TEST_CASE("a token with a character outside the alphabet stands for itself", "[byte_level]") {
  std::string bytes = "x";
  append_token_bytes("\u0120a\u4e2d", bytes);
  append_token_bytes("<|end of text|>", bytes); // a space is no character of the alphabet
  CHECK(bytes == "x\u0120a\u4e2d<|end of text|>");
}

TEST_CASE("CLIP's words", "[byte_level]") {
  const auto clip_words = [](std::string_view text) {
    list result;
    for (std::size_t at = 0; at < text.size();) result.emplace_back(next_clip_word(text, at));
    return result;
  };
  CHECK(clip_words("").empty());
  CHECK(clip_words("a photo  of 42 cats'tails!'s") ==
        list{"a", "photo", "of", "4", "2", "cats", "'t", "ails", "!'", "s"});
  std::size_t at = 3;
  CHECK(next_clip_word("a, <|endoftext|>!", at, true) == "<|endoftext|>");
  CHECK(next_clip_word("a, <|endoftext|>!", at = 3) == "<|");
  CHECK(clip_words(" \u3000it's \u00bd ") == list{"it", "'s", "\u00bd", ""}); // none behind the last
}

TEST_CASE("GPT-2's words", "[byte_level]") {
  CHECK(words("").empty());
  CHECK(words("Hello world") == list{"Hello", " world"});
  CHECK(words("they'd've isn't I'M") == list{"they", "'d", "'ve", " isn", "'t", " I", "'", "M"});
  CHECK(words("a  b") == list{"a", " ", " b"});
  CHECK(words("a \n b") == list{"a", " \n", " b"});
  CHECK(words("a\n\nb") == list{"a", "\n", "\n", "b"});
  CHECK(words("a\nb") == list{"a", "\n", "b"});
  CHECK(words("a  ") == list{"a", "  "});
  CHECK(words(" ") == list{" "});
  CHECK(words("x12y ?!") == list{"x", "12", "y", " ?!"});
  CHECK(words(" 're 're") == list{" '", "re", " '", "re"});
  CHECK(words("\u3000\u3000a") == list{"\u3000", "\u3000", "a"});
  CHECK(words("caf\u00e9 \u0661\u0662\u00bd \U0001f600\u0301") ==
        list{"caf\u00e9", " \u0661\u0662\u00bd", " \U0001f600\u0301"});
}

TEST_CASE("the words of Llama 3 and Qwen 2", "[byte_level]") {
  std::ifstream file(std::string(test::golden_folder) + "/tokenizer_words.json");
  const auto cases = nlohmann::json::parse(file);
  REQUIRE(cases.size() == 400);
  for (const auto& entry : cases) {
    const auto text = entry[0].get<std::string>();
    INFO(text);
    for (const std::size_t most_digits : {3u, 1u}) {
      list found;
      for (std::size_t at = 0; at < text.size();) found.emplace_back(next_llama3_word(text, at, most_digits));
      CHECK(found == entry[most_digits == 3 ? 1 : 2].get<list>());
    }
  }
}
