#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include "golden_lines.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

const std::string folder = FOVEA_GOLDEN_DIR "/";

void check_lines(const std::string& name) {
  const tokenizer tokens = load_tokenizer(folder + name + ".tokenizer.json");
  const auto lines = json_lines(folder + name + ".jsonl");
  REQUIRE(lines.size() == 300);
  for (const auto& line : lines) {
    const auto text = line["text"].get<std::string>();
    INFO(text);
    const auto expected = line["ids"].get<std::vector<token_id>>();
    const encoding found = tokens.encode(text, {.special = false});
    CHECK(found.ids == expected);
    CHECK(found.type_ids == std::vector<token_id>(expected.size(), 0));
    std::vector<std::string> spelt;
    for (const token_id id : found.ids) spelt.emplace_back(tokens.token(id));
    CHECK(spelt == line["tokens"].get<std::vector<std::string>>());
    CHECK(tokens.decode(expected, false) == line["decoded"].get<std::string>());
    if (line.contains("ids_with_special"))
      CHECK(tokens.encode(text).ids == line["ids_with_special"].get<std::vector<token_id>>());
    else
      CHECK(tokens.encode(text).ids == expected);
  }
}

} // namespace

TEST_CASE("WordPiece gives the reference ids and texts", "[tokenizers]") {
  check_lines("tokenizer_wordpiece");
}
TEST_CASE("byte-level BPE gives the reference ids and texts", "[tokenizers]") {
  check_lines("tokenizer_bpe");
}

TEST_CASE("WordPiece gives the reference ids of pairs", "[tokenizers]") {
  const tokenizer tokens = load_tokenizer(folder + "tokenizer_wordpiece.tokenizer.json");
  const auto lines = json_lines(folder + "tokenizer_wordpiece.pairs.jsonl");
  REQUIRE(lines.size() == 20);
  for (const auto& line : lines) {
    INFO(line["text"]);
    const encoding found =
        tokens.encode_pair(line["text"].get<std::string>(), line["pair"].get<std::string>());
    CHECK(found.ids == line["ids"].get<std::vector<token_id>>());
    CHECK(found.type_ids == line["type_ids"].get<std::vector<token_id>>());
  }
}
