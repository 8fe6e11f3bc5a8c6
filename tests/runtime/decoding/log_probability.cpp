#include "next_tokens.hpp"

#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/decoding/log_probability.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

TEST_CASE("uniform predictions over V have perplexity V") {
  for (const std::size_t vocabulary : std::vector<std::size_t>{1, 2, 10, 97}) {
    token_table model(scores_of(1, vocabulary));
    token_ids text;
    for (std::size_t i = 0; i < 23; ++i) text.push_back(static_cast<token_id>(i * 5 % vocabulary));
    for (const double p : perplexity_by_length(log_probabilities(model, text)))
      CHECK(p == Approx(static_cast<double>(vocabulary)));
  }
}

TEST_CASE("the probability of a text is what generating it says") {
  token_table model = chain(8);
  const hypothesis h = sample(model, {3, 1}, {.seed = 4}, {.max_tokens = 15})[0];
  token_ids text{1};
  text.insert(text.end(), h.ids.begin(), h.ids.end());
  CHECK(log_probability(model, text) == Approx(h.log_probability));
  CHECK(perplexity(log_probabilities(model, text)) == Approx(std::exp(-h.log_probability / 15)));
}

TEST_CASE("texts of different lengths are scored together as each alone") {
  token_table model = chain(8);
  const std::vector<token_ids> texts{{1, 2, 3}, {5}, {0, 0, 0, 0, 6, 7}, {7, 0, 1}, {2, 2}};
  const auto together = log_probabilities(model, texts);
  REQUIRE(together.size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK(together[i].size() == texts[i].size() - 1);
    CHECK(together[i] == log_probabilities(model, texts[i]));
  }
  CHECK(log_probabilities(model, std::vector<token_ids>{}).empty());
}

TEST_CASE("perplexity by length is that of each beginning") {
  const std::vector<double> log_p{std::log(0.5), std::log(0.125), 0};
  const auto by_length = perplexity_by_length(log_p);
  CHECK(by_length[0] == Approx(2));
  CHECK(by_length[1] == Approx(4));
  CHECK(by_length[2] == Approx(std::cbrt(16.0)));
  CHECK(perplexity(log_p) == by_length[2]);
}

TEST_CASE("texts without probability are named") {
  token_table model = chain(3);
  const std::vector<token_ids> texts{{1}, {}};
  CHECK_THROWS_WITH(log_probabilities(model, texts),
                    "text 1 is empty; its probability is that of what follows its first id");
  CHECK_THROWS_WITH(log_probabilities(model, {1, 3}),
                    "the probability of a text: expected ids of 0 to 2; found 3");
  CHECK_THROWS_WITH(log_probabilities(model, {1, -1}),
                    "the probability of a text: expected ids of 0 to 2; found -1");
  CHECK_THROWS_WITH(log_probabilities(model, {-1, 1}), "a table of tokens: expected ids of 0 to 2; found -1");
  CHECK_THROWS_WITH(log_probabilities(model, {3, 1}), "a table of tokens: expected ids of 0 to 2; found 3");
  CHECK_THROWS_WITH(perplexity(log_probabilities(model, {1})), "the perplexity of no tokens is not defined");
}

TEST_CASE("a table of tokens is square, and not empty") {
  CHECK_THROWS_WITH(token_table(xt::zeros<float>({1, 2, 3})),
                    "a table of tokens: expected the shape [steps, vocabulary, vocabulary]; found [1, 2, 3]");
  CHECK_THROWS_WITH(token_table(xt::zeros<float>({0, 2, 2})),
                    "a table of tokens: expected the shape [steps, vocabulary, vocabulary]; found [0, 2, 2]");
}

namespace {

/// A model that gives scores of one shape, whatever it is asked.
struct fixed_scores {
  std::size_t rows, positions, vocabulary;
  std::vector<float> zeros = std::vector<float>(64);

  void begin(std::size_t) {}
  token_scores step(std::span<const token_id>) { return {zeros.data(), rows, positions, vocabulary}; }
  void reorder(std::span<const std::size_t>) {}
};

} // namespace

TEST_CASE("a model that gives scores of another shape is named") {
  const token_ids text{1, 2, 0, 1};
  fixed_scores two_rows{2, 3, 4}, two_positions{1, 2, 4}, no_tokens{1, 3, 0}, the_last{1, 1, 4};
  CHECK_THROWS_WITH(log_probabilities(two_rows, text),
                    "scores of the next token: expected 1 rows of 3 positions and a vocabulary; found 2 rows "
                    "of 3 and 4 tokens");
  CHECK_THROWS_WITH(log_probabilities(two_positions, text),
                    "scores of the next token: expected 1 rows of 3 positions and a vocabulary; found 1 rows "
                    "of 2 and 4 tokens");
  CHECK_THROWS_WITH(log_probabilities(no_tokens, text),
                    "scores of the next token: expected 1 rows of 3 positions and a vocabulary; found 1 rows "
                    "of 3 and 0 tokens");
  CHECK_THROWS_WITH(log_probabilities(the_last, text),
                    "scores of the next token: expected those after each of 3 ids, found those after the "
                    "last alone; the probability of a text is by a model without last<T>(...)");
}
