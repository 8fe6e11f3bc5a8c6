#include <fovea/runtime/tokenizers/unigram.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <random>

using namespace fovea;
using namespace fovea::core;

namespace {

using id_list = std::vector<token_id>;

token_vocabulary tokens_of(const std::vector<std::string>& spelt) {
  token_vocabulary tokens;
  for (std::size_t id = 0; id < spelt.size(); ++id) tokens.add(spelt[id], static_cast<std::int64_t>(id));
  return tokens;
}

id_list ids(const unigram& model, const std::string& word) {
  id_list found;
  model.append(word, found);
  return found;
}

/// The definition: the best score of all cuts.
double best(const token_vocabulary& tokens, const std::vector<double>& scores, std::string_view word) {
  if (word.empty()) return 0;
  double found = -std::numeric_limits<double>::infinity();
  for (std::size_t length = 1; length <= word.size(); ++length)
    if (const auto id = tokens.id(word.substr(0, length)))
      found =
          std::max(found, scores[static_cast<std::size_t>(*id)] + best(tokens, scores, word.substr(length)));
  return found;
}

} // namespace

TEST_CASE("the cut of the highest score is found", "[unigram]") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> score(-9, -1);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> spelt{"a", "b"};
    while (spelt.size() < 12) {
      std::string token;
      for (auto length = 2 + random() % 3; length > 0; --length) token += "ab"[random() % 2];
      if (std::ranges::find(spelt, token) == spelt.end()) spelt.push_back(token);
    }
    const token_vocabulary tokens = tokens_of(spelt);
    std::vector<double> scores;
    for (std::size_t i = 0; i < spelt.size(); ++i) scores.push_back(score(random));
    const unigram model(tokens, scores, {});
    for (std::size_t length = 0; length < 12; ++length) {
      std::string word, joined;
      for (std::size_t i = 0; i < length; ++i) word += "ab"[random() % 2];
      double sum = 0;
      for (const token_id id : ids(model, word)) {
        sum += scores[static_cast<std::size_t>(id)];
        joined += tokens.token(id);
      }
      CHECK(joined == word);
      CHECK(sum == Approx(best(tokens, scores, word)));
    }
  }
}

TEST_CASE("uncovered characters are unknown, their bytes, or an error", "[unigram]") {
  const token_vocabulary few = tokens_of({"<unk>", "a", "\u00e9"});
  const std::vector<double> scores{0, -1, -2};
  const unigram unknown(few, scores, {.unknown = 0});
  CHECK(ids(unknown, "a\u4e16\U0001f600a\u00e9x") == id_list{1, 0, 1, 2, 0}); // neighbours together
  CHECK_THROWS_WITH(ids(unigram(few, scores, {}), "axy"),
                    "text: no token covers 'xy', and the vocabulary has no unknown token");
  CHECK_THROWS_WITH(unigram(few, scores, {.byte_fallback = true}),
                    "byte_fallback: expected a token '<0x00>' in the vocabulary");
  CHECK_THROWS_WITH(unigram(few, {0, NAN, 0}, {}), "token 'a': expected a score that is a number; found nan");

  std::vector<std::string> spelt;
  constexpr char digits[] = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte)
    spelt.push_back(std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">");
  spelt.emplace_back("a");
  const token_vocabulary bytes = tokens_of(spelt);
  const unigram fallback(bytes, std::vector<double>(257, -1), {.byte_fallback = true});
  CHECK(ids(fallback, "a\u00e9a") == id_list{256, 0xc3, 0xa9, 256});
}
