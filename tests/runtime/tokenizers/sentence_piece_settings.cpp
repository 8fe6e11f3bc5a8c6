#include <fovea/runtime/tokenizers/sentence_piece.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace fovea;
using namespace fovea::core;

// Model files that are written here, field by field, for what the reference files do not have.

namespace {

using id_list = std::vector<token_id>;

std::string integer(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string number(unsigned field, std::uint64_t value) { return integer(field << 3) + integer(value); }
std::string text(unsigned field, const std::string& bytes) {
  return integer(field << 3 | 2) + integer(bytes.size()) + bytes;
}
std::string four_bytes(unsigned field, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  std::string bytes = integer(field << 3 | 5);
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift);
  return bytes;
}

enum : unsigned { normal = 1, unknown, control, user_defined, unused, of_byte };
std::string piece(const std::string& spelt, float score = 0, unsigned type = normal) {
  return text(1, text(1, spelt) + four_bytes(2, score) + number(3, type));
}
std::string trainer(const std::string& fields) { return text(2, fields); }
std::string normalizer(const std::string& fields) { return text(3, fields); }
enum : unsigned { unigram = 1, bpe, words, characters };
std::string model_type(unsigned kind) { return trainer(number(3, kind)); }

const std::string space = "\u2581";
const std::string few = piece("<unk>", 0, unknown) + piece("a", -1) + piece("b", -1) + piece(space, -2);

tokenizer parsed(const std::string& file) { return parse_sentence_piece(file, "x.model"); }
std::string refused(const std::string& file) {
  const std::string front = "x.model: expected a SentencePiece model: ";
  try {
    parsed(file);
  } catch (const error& reason) {
    const std::string said = reason.what();
    REQUIRE(said.starts_with(front));
    return said.substr(front.size());
  }
  return "";
}

} // namespace

TEST_CASE("a SentencePiece model that does not hold together is refused", "[sentence_piece]") {
  CHECK(refused(few).empty());
  CHECK(refused(number(1, 7)) == "pieces: expected bytes; found a number");
  CHECK(refused(text(1, number(1, 7))) == "piece: expected bytes; found a number");
  CHECK(refused(text(1, text(3, "a"))) == "a piece's type: expected a number; found bytes");
  CHECK(refused(piece("a", 0, 0)) == "a piece's type: expected 1 to 6; found 0");
  CHECK(refused(piece("a", 0, 7)) == "a piece's type: expected 1 to 6; found 7");
  CHECK(refused(few + model_type(5)) == "model_type: expected 1 to 4; found 5");
  CHECK(refused(few + piece("c", std::numeric_limits<float>::infinity())) ==
        "piece 4: expected a score that is a number; found inf");
  CHECK(refused(few + piece("<0x41>", 0, of_byte)) ==
        "piece 4: expected no bytes without byte_fallback; found one");
  CHECK(refused(few + piece("<unknown>", 0, unknown)) == "expected one unknown piece; found 0 and 4");
  CHECK(refused(piece("a")) == "expected an unknown piece; found none");
  CHECK(refused(few + trainer(number(35, 1))) ==
        "byte_fallback: expected a piece <0x00> that is a byte; found none");
  CHECK(refused(few + piece("<0x00>") + trainer(number(35, 1))) ==
        "byte_fallback: expected a piece <0x00> that is a byte; found none");
  CHECK(refused(few + piece(std::string(100'000, 'a'), 0, user_defined))
            .starts_with("piece 4: expected at most "));
  CHECK(refused(few + piece("ac") + model_type(bpe)) ==
        "piece 4: expected its character 'c' to be a piece as well");
  CHECK(refused(few + piece("c", 0, unused) + model_type(bpe)) ==
        "piece 4: expected a type other than unused (5) in a BPE model");
  CHECK(refused(few + text(5, text(2, "a table"))) ==
        "denormalizer_spec: expected no table of replacements; found one");
  CHECK(refused(few + text(5, number(3, 0))).empty());
  CHECK(refused(few + integer(9 << 3 | 1) + "eight").starts_with("a field is cut short: expected 8 bytes"));
  CHECK(refused(few + integer(9 << 3 | 1) + "8 bytes." + number(77, 1)).empty()); // fields of no concern
}

TEST_CASE("the user's own symbols are cut out whole", "[sentence_piece]") {
  const std::string file = few + piece("ab", 0, user_defined) + piece("bb", -0.1f);
  for (const unsigned kind : {unigram, bpe, characters}) {
    const tokenizer tokens = parsed(file + model_type(kind));
    CHECK(tokens.encode("ab").ids == id_list{3, 4});
    CHECK(tokens.decode(tokens.encode("b abab").ids) == "b abab");
  }
}

TEST_CASE("a model of words knows whole words alone", "[sentence_piece]") {
  const tokenizer tokens = parsed(few + piece(space + "ab") + model_type(words));
  CHECK(tokens.encode("ab ab").ids == id_list{4, 4});
  CHECK(tokens.encode("ab ba").ids == id_list{4, 0});
}

TEST_CASE("a normaliser may leave spaces as they are, and put none in front", "[sentence_piece]") {
  const auto cut = [](const std::string& settings, const std::string& of) {
    std::string cuts;
    const tokenizer tokens = parsed(few + settings);
    for (const token_id id : tokens.encode(of).ids) cuts += std::string(tokens.token(id)) + '|';
    return cuts;
  };
  const std::string s = space + '|';
  CHECK(cut("", " a  b ") == s + "a|" + s + "b|");
  CHECK(cut(normalizer(number(3, 0)), " a  b ") == "a|" + s + "b|");
  CHECK(cut(normalizer(number(4, 0)), " a  b ") == s + s + "a|" + s + s + "b|" + s);
  CHECK(cut(normalizer(number(3, 0) + number(4, 0)), " a  b ") == s + "a|" + s + s + "b|" + s);
  CHECK(cut(trainer(number(24, 1)), "a b") == "a|" + s + "b|" + s);
  const tokenizer kept = parsed(few + normalizer(number(3, 0) + number(4, 0)));
  CHECK(kept.decode(kept.encode(" a  b ").ids) == " a  b ");
  const tokenizer plain = parsed(few + piece(" ", -1) + normalizer(number(5, 0)));
  CHECK(plain.encode("a b").ids == id_list{4, 1, 4, 2});
}

TEST_CASE("an unknown piece reads as the model says", "[sentence_piece]") {
  const tokenizer tokens = parsed(few + trainer(text(44, "?")));
  CHECK(tokens.decode(tokens.encode("axb").ids) == "a?b");
}
