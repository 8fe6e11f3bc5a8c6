#include "next_tokens.hpp"

#include <fovea/runtime/decoding/generate.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

/// Spells ids as letters.
std::string letters(std::span<const token_id> ids) {
  std::string text;
  for (const token_id id : ids) text += static_cast<char>('a' + id);
  return text;
}

/// log p of the token that follows, of one that repeats, and of another, in chain(n).
double log_p(double score, double n) { return score - std::log(std::exp(2.0) + std::exp(1.0) + n - 2); }

} // namespace

TEST_CASE("greedy decoding goes on to the end token, the greatest length, or as long as the caller wishes") {
  token_table model = chain(7);
  const hypothesis to_end = greedy(model, {2}, {.end = {6}});
  CHECK(to_end.ids == token_ids{3, 4, 5, 6});
  CHECK(to_end.ended == ended_by::token);
  CHECK(to_end.log_probability == Approx(4 * log_p(2, 7)));
  CHECK(to_end.text.empty());

  const hypothesis cut = greedy(model, {2}, {.max_tokens = 3, .end = {6}, .text = letters});
  CHECK(cut.ids == token_ids{3, 4, 5});
  CHECK(cut.ended == ended_by::length);
  CHECK(cut.text == "def");

  token_ids seen;
  const hypothesis stopped = greedy(model, {2}, {.end = {6}}, [&](const generated_token& t) {
    seen.push_back(t.id);
    CHECK(t.log_probability == Approx(log_p(2, 7)));
    return seen.size() < 2;
  });
  CHECK(stopped.ids == token_ids{3, 4});
  CHECK(seen == stopped.ids);
  CHECK(stopped.ended == ended_by::caller);
}

TEST_CASE("a text that is over is over, whatever the caller wishes") {
  token_table model = chain(7);
  const auto stop = [](const generated_token&) { return false; };
  CHECK(greedy(model, {5}, {.end = {6}}, stop).ended == ended_by::token);
  CHECK(greedy(model, {2}, {.max_tokens = 1}, stop).ended == ended_by::length);
}

TEST_CASE("of equally likely tokens the smallest id is taken") {
  token_table model(scores_of(1, 5));
  CHECK(greedy(model, {3}, {.max_tokens = 2}).ids == token_ids{0, 0});
}

TEST_CASE("a text ends where it holds a stop string, and is cut before the first") {
  token_table model = chain(20);
  const hypothesis h = greedy(model, {1}, {.strings = {"xyz", "fg"}, .text = letters});
  CHECK(h.ids == token_ids{2, 3, 4, 5, 6});
  CHECK(h.text == "cde");
  CHECK(h.ended == ended_by::string);
  // One that two tokens spell together counts, one in the prompt does not.
  CHECK(greedy(model, {1}, {.strings = {"b", "ef", "f"}, .text = letters}).text == "cd");
}

TEST_CASE("prompts of different lengths are decoded together as each alone") {
  token_table model = chain(9);
  const std::vector<token_ids> prompts{{1, 4, 2}, {5}, {0, 0, 0, 7}, {3, 3}};
  const sampling_options options{.temperature = 1.3, .seed = 17, .samples = 3};
  const stopping_options where{.max_tokens = 12, .end = {8}};
  const auto together = sample(model, prompts, options, where);
  REQUIRE(together.size() == 12);
  bool differ = false;
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    const auto alone = sample(model, prompts[p], options, where);
    REQUIRE(alone.size() == 3);
    for (std::size_t s = 0; s < 3; ++s) {
      CHECK(alone[s].ids == together[3 * p + s].ids);
      CHECK(alone[s].log_probability == together[3 * p + s].log_probability);
      CHECK(alone[s].ended == together[3 * p + s].ended);
      differ = differ || alone[s].ids != alone[0].ids;
    }
  }
  CHECK(differ);
  CHECK(sample(model, std::vector<token_ids>{}, options, where).empty());
}

TEST_CASE("samples come as often as their probabilities say") {
  token_table model = chain(6);
  constexpr std::size_t drawn = 20000;
  std::vector<double> counts(6);
  for (const hypothesis& h : sample(model, {1}, {.seed = 5, .samples = drawn}, {.max_tokens = 1}))
    ++counts[static_cast<std::size_t>(h.ids[0])];
  for (std::size_t id = 0; id < 6; ++id) {
    const double p = std::exp(log_p(id == 2 ? 2 : id == 1 ? 1 : 0, 6));
    CHECK(std::abs(counts[id] - drawn * p) < 5 * std::sqrt(drawn * p * (1 - p)));
  }
}

TEST_CASE("log p is the model's, whatever the filters do") {
  token_table model = chain(6);
  const auto h = sample(model, {1}, {.temperature = 0.1, .top_k = 1}, {.max_tokens = 2});
  CHECK(h[0].ids == token_ids{2, 3});
  CHECK(h[0].log_probability == Approx(2 * log_p(2, 6)));
}

TEST_CASE("the repetition penalty counts the prompt and what was generated") {
  token_table model = chain(4);
  // 0 and 1 have been read: 1, which would come next, is worth 2 / 10, and 0 itself 1 / 10; 2 and 3 nothing.
  CHECK(filtered(std::vector<float>{1, 2, 0, -1}, {.temperature = 0, .repetition_penalty = 10},
                 token_ids{0, 1})[0]
            .id == 1);
  CHECK(filtered(std::vector<float>{1, 2, 0.5f, -1}, {.temperature = 0, .repetition_penalty = 10},
                 token_ids{0, 1})[0]
            .id == 2);
  // Negative scores are multiplied, once however often the token occurs; foreign ids do not matter.
  const auto left = filtered(std::vector<float>{-1, -1}, {.repetition_penalty = 2}, token_ids{1, 1, 9, -3});
  CHECK(left[0].probability / left[1].probability == Approx(std::exp(1.0)));
  CHECK(sample(model, {0}, {.temperature = 0, .repetition_penalty = 3}, {.max_tokens = 4})[0].ids ==
        token_ids{1, 2, 3, 0});
  // What would leave the range of a float is its largest number: no token becomes impossible, or the only one.
  for (const double penalty : {1e39, 1e-40}) {
    const auto two = filtered(std::vector<float>{-1, 1}, {.repetition_penalty = penalty}, token_ids{0, 1});
    REQUIRE(two.size() == 2);
    CHECK(two[0].probability + two[1].probability == Approx(1));
  }
  CHECK(filtered(std::vector<float>{-1, -1}, {.repetition_penalty = 1e39}, token_ids{0, 1}).size() == 2);
}

TEST_CASE("what can not be decoded is said in one sentence") {
  token_table model = chain(3);
  const std::vector<token_ids> prompts{{1}, {}};
  CHECK_THROWS_WITH(greedy(model, prompts, {}),
                    "prompt 1 is empty; a text to go on with holds at least one id (that of its start)");
  CHECK_THROWS_WITH(greedy(model, {1}, {.max_tokens = 0}),
                    "decoding: expected max_tokens of 1 or more; found 0");
  CHECK_THROWS_WITH(greedy(model, {1}, {.strings = {"a"}}),
                    "decoding: stop strings are given, but no function `text` that spells the ids");
  CHECK_THROWS_WITH(greedy(model, {1}, {.strings = {""}, .text = letters}),
                    "decoding: a stop string is empty");
  CHECK_THROWS_WITH(sample(model, {1}, {.temperature = -1}, {}),
                    "sampling: expected temperature of 0 or more; found -1");
  CHECK_THROWS_WITH(sample(model, {1}, {.temperature = std::numeric_limits<double>::infinity()}, {}),
                    "sampling: expected temperature of 0 or more; found inf");
  CHECK_THROWS_WITH(sample(model, {1}, {.repetition_penalty = std::numeric_limits<double>::infinity()}, {}),
                    "sampling: expected repetition_penalty above 0; found inf");
  CHECK_THROWS_WITH(sample(model, {1}, {.top_p = 0}, {}),
                    "sampling: expected top_p above 0 and at most 1; found 0");
  CHECK_THROWS_WITH(sample(model, {1}, {.min_p = 1.5}, {}), "sampling: expected min_p of 0 to 1; found 1.5");
  CHECK_THROWS_WITH(sample(model, {1}, {.repetition_penalty = std::nan("")}, {}),
                    "sampling: expected repetition_penalty above 0; found nan");
  CHECK_THROWS_WITH(sample(model, {1}, {.samples = 0}, {}),
                    "sampling: expected samples of 1 or more; found 0");
  constexpr std::size_t many = std::numeric_limits<std::size_t>::max() / 16 + 1; // times 16 is 0
  const std::string found =
      "decoding: expected at most 1048576 texts together; found " + std::to_string(many) + " of each of ";
  CHECK_THROWS_WITH(sample(model, {1}, {.samples = many}, {}), found + "1 prompts");
  const std::vector<token_ids> sixteen(16, {1});
  CHECK_THROWS_WITH(sample(model, sixteen, {.samples = many}, {}), found + "16 prompts");
  CHECK_THROWS_WITH(greedy(model, {3}, {}), "a table of tokens: expected ids of 0 to 2; found 3");

  xt::xtensor<float, 3> scores = scores_of(1, 3);
  scores(0, 0, 2) = std::nanf("");
  scores(0, 1, 1) = std::numeric_limits<float>::infinity();
  for (std::size_t id = 0; id < 3; ++id) scores(0, 2, id) = -std::numeric_limits<float>::infinity();
  token_table broken(scores);
  CHECK_THROWS_WITH(greedy(broken, {0}, {}), "scores of the next token: token 2 has nan");
  CHECK_THROWS_WITH(greedy(broken, {1}, {}), "scores of the next token: token 1 has inf");
  CHECK_THROWS_WITH(greedy(broken, {2}, {}), "scores of the next token: every token is impossible");
  CHECK_THROWS_WITH(token_table(xt::xtensor<float, 3>(std::array<std::size_t, 3>{2, 3, 4})),
                    "a table of tokens: expected the shape [steps, vocabulary, vocabulary]; found [2, 3, 4]");
}
