#include "next_tokens.hpp"
#include "trace.hpp"

#include <functional>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

/// Scores from a hash: the same for the same text, and no two alike.
xt::xtensor<float, 3> scattered(std::size_t steps, std::size_t vocabulary) {
  xt::xtensor<float, 3> scores = scores_of(steps, vocabulary);
  std::uint32_t bits = 1;
  for (float& score : scores)
    score = static_cast<float>((bits = bits * 1664525 + 1013904223) >> 8) * 0x1p-22f;
  return scores;
}

/// log p of the best text of n ids that a table makes, by trying all.
double best_of_all(const xt::xtensor<float, 3>& scores, std::size_t last, std::size_t step, std::size_t n) {
  if (step == n) return 0;
  const std::size_t vocabulary = scores.shape()[1];
  const std::span<const float> next(&scores(step, last, 0), vocabulary);
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t id = 0; id < vocabulary; ++id)
    best = std::max(best, static_cast<double>(next[id]) - fovea::core::detail::log_sum_exp(next) +
                              best_of_all(scores, id, step + 1, n));
  return best;
}

} // namespace

TEST_CASE("greedy and beam search on a table agree with the reference at every step", "[golden]") {
  const golden_case c("decode_table");
  const golden_tensor& logits = c.at("input.logits");
  xt::xtensor<float, 3> scores(std::array<std::size_t, 3>{logits.shape[0], logits.shape[1], logits.shape[2]});
  std::copy(logits.values.begin(), logits.values.end(), scores.begin());
  token_table model(scores);
  const std::vector<token_ids> prompts{{c.metadata().at("start_token").get<token_id>()}};
  check_decoding(c, model, prompts);
}

TEST_CASE("a finished hypothesis takes its place away: 4, 4, 4, then 4, 3, 2, 1, 0") {
  // Words 0 to 4 are equally likely at first, and then repeat themselves, so that the four of the beam stay
  // apart; word w ends at step 3 + w.
  constexpr std::size_t end = 5;
  xt::xtensor<float, 3> scores = scores_of(7, 6);
  for (std::size_t step = 0; step < 7; ++step)
    for (std::size_t last = 0; last < 6; ++last) {
      scores(step, last, end) = -50;
      if (step > 0) scores(step, last, last) = 50;
    }
  for (std::size_t word = 0; word < 4; ++word) scores(3 + word, word, end) = 100;
  token_table model(scores);
  std::vector<std::size_t> live, width;
  const auto best =
      beam_search(model, {0}, {.width = 4, .best = 9}, {.end = {end}}, [&](const beam_step& step) {
        live.push_back(step.live.size());
        width.push_back(step.width);
      });
  CHECK(live == std::vector<std::size_t>{4, 4, 4, 3, 2, 1, 0});
  CHECK(width == live);
  REQUIRE(best.size() == 4);
  for (const hypothesis& h : best) CHECK(h.ended == ended_by::token);
}

TEST_CASE("a beam as wide as all texts finds the best of them") {
  for (const std::size_t vocabulary : std::vector<std::size_t>{2, 3, 5}) {
    const xt::xtensor<float, 3> scores = scattered(4, vocabulary);
    token_table model(scores);
    const auto found =
        beam_search(model, {0}, {.width = 1000, .best = 3}, {.max_tokens = 4}); // 5^4 texts at the most
    REQUIRE(found.size() == 3);
    CHECK(found[0].log_probability == Approx(best_of_all(scores, 0, 0, 4)));
    CHECK(found[0].log_probability > found[1].log_probability);
    CHECK(found[1].log_probability > found[2].log_probability);
  }
}

TEST_CASE("a beam of width 1 is greedy decoding") {
  const xt::xtensor<float, 3> scores = scattered(9, 11);
  token_table model(scores);
  for (token_id start = 0; start < 10; ++start) {
    const stopping_options where{.max_tokens = 9, .end = {10}};
    const auto beams = beam_search(model, {start}, {.width = 1}, where);
    const hypothesis h = greedy(model, {start}, where);
    CHECK(beams.at(0).ids == h.ids);
    CHECK(beams.at(0).log_probability == Approx(h.log_probability));
  }
}

TEST_CASE("prompts of different lengths are searched together as each alone") {
  const xt::xtensor<float, 3> scores = scattered(1, 13);
  token_table model(scores);
  const std::vector<token_ids> prompts{{1}, {4, 5, 6, 7}, {2, 9}};
  const beam_options options{.width = 3, .length_power = 0.6, .best = 2};
  const stopping_options where{.max_tokens = 7, .end = {0, 3}};
  const auto together = beam_search(model, prompts, options, where);
  REQUIRE(together.size() == 3);
  for (std::size_t p = 0; p < 3; ++p) {
    const auto alone = beam_search(model, prompts[p], options, where);
    REQUIRE(together[p].size() == alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      CHECK(together[p][i].ids == alone[i].ids);
      CHECK(together[p][i].score == alone[i].score);
    }
  }
}

TEST_CASE("the length's power decides between short and long texts") {
  // 1 ends at once with log p = -1.0; 2, 1 with -0.6 - 0.6.
  xt::xtensor<float, 3> scores = scores_of(2, 4);
  const std::vector<double> first{std::exp(-1.0), std::exp(-0.6)}, then{std::exp(-0.6), 1 - std::exp(-0.6)};
  scores(0, 0, 0) = static_cast<float>(std::log(1 - first[0] - first[1]));
  scores(0, 0, 1) = -1.0f;
  scores(0, 0, 2) = -0.6f;
  scores(0, 0, 3) = -1e9f;
  for (const std::size_t id : std::vector<std::size_t>{0, 3})
    scores(1, 2, id) = id == 3 ? static_cast<float>(std::log(then[1])) : -1e9f;
  scores(1, 2, 1) = -0.6f;
  scores(1, 2, 2) = -1e9f;
  token_table model(scores);
  const stopping_options where{.max_tokens = 2, .end = {1}};
  CHECK(beam_search(model, {0}, {.width = 3, .length_power = 0}, where)[0].ids == token_ids{1});
  CHECK(beam_search(model, {0}, {.width = 3, .length_power = 1}, where)[0].ids == token_ids{2, 1});
}

TEST_CASE("impossible tokens take no place, and stop strings end hypotheses") {
  xt::xtensor<float, 3> scores = scores_of(1, 3);
  for (std::size_t last = 0; last < 3; ++last) scores(0, last, 2) = -std::numeric_limits<float>::infinity();
  token_table model(scores);
  const auto both = beam_search(model, {0}, {.width = 7, .best = 9}, {.max_tokens = 1});
  REQUIRE(both.size() == 2);
  CHECK(both[0].ids == token_ids{0});
  CHECK(both[1].ids == token_ids{1});

  scores(0, 0, 1) = scores(0, 1, 0) = 2;
  token_table alternating(scores);
  const auto spell = [](std::span<const token_id> ids) {
    std::string text;
    for (const token_id id : ids) text += id == 0 ? 'a' : 'b';
    return text;
  };
  for (const hypothesis& h :
       beam_search(alternating, {0}, {.width = 2, .best = 2}, {.strings = {"ab"}, .text = spell})) {
    CHECK(h.ended == ended_by::string);
    CHECK(h.text + "ab" == spell(h.ids));
  }
}

TEST_CASE("a beam that has places left ends where every hypothesis has") {
  token_table model(scores_of(1, 1));
  const auto found = beam_search(model, {0}, {.width = 3, .best = 3}, {.max_tokens = 9, .end = {0}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].ids == token_ids{0});
  CHECK(found[0].ended == ended_by::token);
}

TEST_CASE("options of a beam out of their range are named") {
  token_table model(scores_of(1, 2));
  CHECK_THROWS_WITH(beam_search(model, {0}, {.width = 0}, {}),
                    "beam search: expected a width of 1 or more; found 0");
  CHECK_THROWS_WITH(beam_search(model, {0}, {.best = 0}, {}),
                    "beam search: expected best of 1 or more; found 0");
  CHECK_THROWS_WITH(beam_search(model, {0}, {.length_power = -1}, {}),
                    "beam search: expected a length_power of 0 or more; found -1");
  CHECK_THROWS_WITH(beam_search(model, {0}, {.length_power = std::numeric_limits<double>::quiet_NaN()}, {}),
                    "beam search: expected a length_power of 0 or more; found nan");
  CHECK_THROWS_WITH(beam_search(model, {0}, {.length_power = std::numeric_limits<double>::infinity()}, {}),
                    "beam search: expected a length_power of 0 or more; found inf");
}
