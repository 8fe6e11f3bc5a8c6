#include <fovea/runtime/tokenizers/sentence_piece.hpp>

#include "../../file_content.hpp"
#include "../../golden_folder.hpp"
#include "golden_lines.hpp"

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::core;

namespace {

using id_list = std::vector<token_id>;

const std::string folder = std::string(test::golden_folder) + "/";

} // namespace

TEST_CASE("a SentencePiece model has a tokenizer's vocabulary", "[sentence_piece]") {
  const tokenizer tokens = load_tokenizer(folder + "tokenizer_sentencepiece_unigram.model");
  CHECK(tokens.vocabulary_size() == 1000);
  CHECK(tokens.token(0) == "<unk>");
  CHECK(tokens.id("\u2581the").has_value());
  CHECK(!tokens.id("no such piece"));
}

TEST_CASE("awkward texts, with byte fallback and without", "[sentence_piece]") {
  const tokenizer bytes = load_tokenizer(folder + "tokenizer_sentencepiece_bpe.model");
  const tokenizer plain = load_tokenizer(folder + "tokenizer_sentencepiece_plain.model");
  for (const tokenizer* tokens : {&bytes, &plain}) {
    CHECK(tokens->encode("").ids.empty());
    CHECK(tokens->encode("   ").ids.empty());
    CHECK(tokens->decode({}).empty());
    CHECK_THROWS_WITH(tokens->encode("ab\xff"), "text: expected UTF-8; found byte 0xff at offset 2");
    // A control symbol that is spelt out is text; as an id it has no text.
    const auto spelt = tokens->encode("<s>").ids;
    CHECK(std::ranges::find(spelt, *tokens->id("<s>")) == spelt.end());
    CHECK(tokens->decode(id_list{*tokens->id("<s>"), *tokens->id("\u2581the")}) == "the");
  }
  const std::string text = "the \U0001f600\u4e16 end";
  CHECK(bytes.decode(bytes.encode(text).ids) == text);
  CHECK(plain.decode(plain.encode(text).ids) == "the  \u2047  end");
}

TEST_CASE("what is no SentencePiece model is refused", "[sentence_piece]") {
  const std::string front = "x.model: expected a SentencePiece model: ";
  CHECK_THROWS_WITH(parse_sentence_piece("", "x.model"), front + "expected pieces; found none");
  CHECK_THROWS_WITH(parse_sentence_piece("\n\x05nothing", "x.model"),
                    front + "expected a field of a known type; found tag 110");
  const std::string whole = content(folder + "tokenizer_sentencepiece_plain.model");
  REQUIRE(whole.size() > 5000);
  for (const std::size_t cut : {std::size_t{1}, std::size_t{1000}, whole.size() - 7})
    CHECK_THROWS_AS(parse_sentence_piece(std::string_view(whole).substr(0, cut), "x.model"), error);
}
