#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include "../../golden_folder.hpp"
#include "golden_lines.hpp"
#include "packed_copy.hpp"

#include <fovea/runtime/tokenizers/text_stream.hpp>

#include <catch2/catch.hpp>

#include <optional>

using namespace fovea;
using namespace fovea::core;

namespace {

const std::string folder = std::string(test::golden_folder) + "/";

std::string streamed(const tokenizer& tokens, const std::vector<token_id>& ids) {
  text_stream stream(tokens, false);
  std::string text;
  for (const token_id id : ids) text += stream.add(id);
  return text + stream.finish();
}

void check_lines(const std::string& name, const tokenizer& tokens) {
  const auto lines = json_lines(folder + name + ".jsonl");
  REQUIRE(lines.size() == 300);
  for (const auto& line : lines) {
    const auto text = line["text"].get<std::string>();
    INFO(text);
    const auto expected = line["ids"].get<std::vector<token_id>>();
    const token_encoding found = tokens.encode(text, {.special = false});
    CHECK(found.ids == expected);
    CHECK(found.type_ids == std::vector<token_id>(expected.size(), 0));
    CHECK(tokens.decode(expected, false) == line["decoded"].get<std::string>());
    CHECK(streamed(tokens, expected) == line["decoded"].get<std::string>());
    if (line.contains("ids_with_special"))
      CHECK(tokens.encode(text).ids == line["ids_with_special"].get<std::vector<token_id>>());
    else
      CHECK(tokens.encode(text).ids == expected);
  }
}

/// Of a file, and of what it is packed as.
void check_lines(const std::string& name, const std::string& file) {
  check_lines(name, load_tokenizer(folder + file));
  if (const std::optional<tokenizer> packed = test::packed_copy(folder + file)) check_lines(name, *packed);
}

/// The tokens as the file spells them; what stands for unknown text is given by that text.
void check_spelling(const std::string& name) {
  const tokenizer tokens = load_tokenizer(folder + name + ".tokenizer.json");
  for (const auto& line : json_lines(folder + name + ".jsonl")) {
    std::vector<std::string> spelt;
    for (const auto& id : line["ids"]) spelt.emplace_back(tokens.token(id.get<token_id>()));
    CHECK(spelt == line["tokens"].get<std::vector<std::string>>());
  }
}

} // namespace

TEST_CASE("WordPiece gives the reference ids and texts", "[tokenizers]") {
  check_lines("tokenizer_wordpiece", "tokenizer_wordpiece.tokenizer.json");
  check_spelling("tokenizer_wordpiece");
}
TEST_CASE("byte-level BPE gives the reference ids and texts", "[tokenizers]") {
  check_lines("tokenizer_bpe", "tokenizer_bpe.tokenizer.json");
  check_spelling("tokenizer_bpe");
}
TEST_CASE("CLIP's tokenizer gives the reference ids and texts", "[tokenizers]") {
  check_lines("tokenizer_clip", "tokenizer_clip.tokenizer.json");
  check_spelling("tokenizer_clip");
}
TEST_CASE("Unigram gives the reference ids and texts", "[tokenizers]") {
  check_lines("tokenizer_unigram", "tokenizer_unigram.tokenizer.json");
}
TEST_CASE("SentencePiece models give the reference ids and texts", "[tokenizers]") {
  for (const std::string name : {"unigram", "bpe", "plain"}) {
    INFO(name);
    check_lines("tokenizer_sentencepiece_" + name, "tokenizer_sentencepiece_" + name + ".model");
  }
}

TEST_CASE("WordPiece gives the reference ids of pairs", "[tokenizers]") {
  const tokenizer tokens = load_tokenizer(folder + "tokenizer_wordpiece.tokenizer.json");
  const auto lines = json_lines(folder + "tokenizer_wordpiece.pairs.jsonl");
  REQUIRE(lines.size() == 20);
  for (const auto& line : lines) {
    INFO(line["text"]);
    const token_encoding found =
        tokens.encode_pair(line["text"].get<std::string>(), line["pair"].get<std::string>());
    CHECK(found.ids == line["ids"].get<std::vector<token_id>>());
    CHECK(found.type_ids == line["type_ids"].get<std::vector<token_id>>());
  }
}
