#include <fovea/runtime/tokenizers/precompiled_map.hpp>

#include "../../file_content.hpp"
#include "../../golden_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstring>
#include <random>

using namespace fovea;
using namespace fovea::core;
using Catch::Matchers::EndsWith;

namespace {

const std::string folder = std::string(test::golden_folder) + "/";

/// The table of a SentencePiece model: behind the name of its rule, a tag and the length in groups of 7 bits.
std::string table() {
  const std::string model = content(folder + "tokenizer_sentencepiece_unigram.model");
  const std::string name = "nmt_nfkc\x12";
  std::size_t at = model.find(name) + name.size(), length = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(model.at(at++));
    length |= std::size_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return model.substr(at, length);
  }
}

std::string after(const precompiled_map& map, const std::string& text) {
  std::string result;
  map.append(text, result);
  return result;
}

} // namespace

TEST_CASE("SentencePiece's table replaces what the Precompiled normaliser of Hugging Face does",
          "[precompiled_map]") {
  const precompiled_map map(table());
  const auto cases = nlohmann::json::parse(content(folder + "tokenizer_precompiled.json"));
  REQUIRE(cases.size() == 267);
  for (const auto& entry : cases) {
    INFO(entry[0]);
    CHECK(after(map, entry[0].get<std::string>()) == entry[1].get<std::string>());
  }
  CHECK(after(map, "") == "");
  CHECK(after(map, std::string("a\0b", 3)) == std::string("a\0b", 3));
}

TEST_CASE("a damaged table is refused, or replaces something else", "[precompiled_map]") {
  CHECK_THROWS_WITH(precompiled_map(""),
                    "precompiled_charsmap: expected SentencePiece's table; found 0 bytes");
  CHECK_THROWS_WITH(precompiled_map(std::string("\x08\0\0\0abcd", 8)),
                    "precompiled_charsmap: expected SentencePiece's table; found a trie of 8 bytes in 8");
  std::mt19937 random(4);
  const std::string whole = table();
  const std::string text = "a\u00e9\uff21\u2460\u3042 \u0344\r\n";
  for (int round = 0; round < 50; ++round) {
    std::string damaged = whole;
    std::uint32_t trie = 0;
    std::memcpy(&trie, whole.data(), sizeof(trie));
    for (int i = 0; i < 20000; ++i)
      damaged[sizeof(trie) + random() % trie] = static_cast<char>(random() % 256);
    const precompiled_map map(damaged);
    check_utf8(after(map, text));
    map.longest(text);
  }
  CHECK_THROWS_WITH(precompiled_map(whole + "\xc3"),
                    EndsWith("expected SentencePiece's table; found replacements that are not UTF-8"));
  CHECK_THROWS_WITH(precompiled_map(whole + std::string(1025, 'a')),
                    EndsWith("expected SentencePiece's table; found a replacement of more than 1024 bytes"));
}

TEST_CASE("base64", "[precompiled_map]") {
  // RFC 4648, section 10.
  const std::vector<std::pair<std::string, std::string>> vectors{{"", ""},
                                                                 {"f", "Zg=="},
                                                                 {"fo", "Zm8="},
                                                                 {"foo", "Zm9v"},
                                                                 {"foob", "Zm9vYg=="},
                                                                 {"fooba", "Zm9vYmE="},
                                                                 {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    CHECK(to_base64(bytes) == text);
    CHECK(from_base64(text) == bytes);
  }
  const std::string all("\xff\xfe\0\1", 4);
  CHECK(from_base64(to_base64(all)) == all);
  CHECK_THROWS_WITH(from_base64("Zm9*"), "expected base64; found '*'");
  for (const char* bad : {"Z", "Zm9vY", "Zg=", "Z===", "Zm9vY==="}) CHECK_THROWS_AS(from_base64(bad), error);
}
