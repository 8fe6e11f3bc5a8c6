#include <fovea/runtime/tokenizers/bert_text.hpp>

#include <catch2/catch.hpp>

#include <vector>

using namespace fovea;
using namespace fovea::core;

namespace {

std::string normalized(const bert_normalizer& normalizer, std::string_view text) {
  std::string result;
  normalizer.append(text, result);
  return result;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();)
    if (const auto word = next_bert_word(text, at); !word.empty()) result.emplace_back(word);
  return result;
}

using list = std::vector<std::string>;

} // namespace

TEST_CASE("BERT's normaliser, all of it", "[bert_text]") {
  const bert_normalizer all;
  CHECK(normalized(all, "Na\u00efve CAF\u00c9") == "naive cafe");
  CHECK(normalized(all, std::string("a\0b\t\x07\r\n\u200d\ufffd\ue000"
                                    "c",
                                    18)) == "ab   c");
  CHECK(normalized(all, "x\u4e2d\u6587y") == "x \u4e2d  \u6587 y");
  CHECK(normalized(all, "\u00a0\u3000\u2028|") == "   |");
  CHECK(normalized(all, "\u0130\u00c5\u1e9e\u03a3") == "ia\u00df\u03c3");
  CHECK(normalized(all, "\ud55c") ==
        "\u1112\u1161\u11ab"); // Hangul syllables come apart, as in the reference
  CHECK(normalized(all, "e\u0301\u0323") == "e");
}

TEST_CASE("each part of BERT's normaliser alone", "[bert_text]") {
  const bert_normalizer none{false, false, false, false};
  const std::string text = "A\t\u00c9\u4e2d\x07\u0130";
  CHECK(normalized(none, text) == text);
  CHECK(normalized({true, false, false, false}, text) == "A \u00c9\u4e2d\u0130");
  CHECK(normalized({false, true, false, false}, text) == "A\t\u00c9 \u4e2d \x07\u0130");
  CHECK(normalized({false, false, true, false}, text) == "A\tE\u4e2d\x07I");
  CHECK(normalized({false, false, false, true}, text) == "a\t\u00e9\u4e2d\x07i\u0307");
}

TEST_CASE("BERT's words", "[bert_text]") {
  CHECK(words("").empty());
  CHECK(words(" \t\u3000 ").empty());
  CHECK(words("it's  a well-known\u2014fact.") ==
        list{"it", "'", "s", "a", "well", "-", "known", "\u2014", "fact", "."});
  CHECK(words("$5+3=8~`") == list{"$", "5", "+", "3", "=", "8", "~", "`"});
  CHECK(words("caf\u00e9\u00a0\U0001f600!") == list{"caf\u00e9", "\U0001f600", "!"});
}
