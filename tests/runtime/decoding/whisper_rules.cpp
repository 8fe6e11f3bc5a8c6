#include "next_tokens.hpp"

#include <fovea/runtime/decoding/beam_search.hpp>
#include <fovea/runtime/decoding/filtered_scores.hpp>
#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/decoding/whisper_rules.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr float never = -std::numeric_limits<float>::infinity();

/// x for each token that may come, a point for each that may not.
std::string allowed(const whisper_rules& rules, token_ids read, std::vector<float> scores) {
  const std::vector<float> before = scores;
  rules(read, scores);
  std::string made;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    made += scores[i] == never ? '.' : 'x';
    if (scores[i] != never) CHECK(scores[i] == before[i]);
  }
  return made;
}

struct times_case {
  token_ids said;
  std::array<std::string, 3> allowed;
};

/// What transformers' WhisperTimeStampLogitsProcessor allows behind ids 7 and 8. Tokens 0 to 5 are words, 6 is the end, 9
/// "no times", and 10 to 15 are times, of which the first may be 0 to 3.
const std::vector<times_case> cases{
    {{}, {"..........xxxx..", "..........xxxx..", "..........xxxx.."}},
    {{1}, {"..........xxxxxx", "..........xxxxxx", "xxxxxxxxx.xxxxxx"}},
    {{10}, {"xxxxxxxxx.......", "xxxxxxxxx.......", "xxxxxxxxx......."}},
    {{10, 1}, {"...........xxxxx", "...........xxxxx", "xxxxxxxxx..xxxxx"}},
    {{10, 1, 2}, {"xxxxxxxxx..xxxxx", "...........xxxxx", "xxxxxxxxx..xxxxx"}},
    {{10, 1, 12}, {"............xxxx", "............xxxx", "......xxx...xxxx"}},
    {{10, 1, 12, 12}, {"xxxxxxxxx.......", "xxxxxxxxx.......", "xxxxxxxxx......."}},
    {{10, 1, 12, 13}, {"xxxxxxxxx.......", "xxxxxxxxx.......", "xxxxxxxxx......."}},
    {{10, 1, 12, 13, 4}, {"xxxxxxxxx.....xx", "..............xx", "xxxxxxxxx.....xx"}},
    {{12, 4, 14}, {"......xxx.....xx", "..............xx", "......xxx.....xx"}},
    {{12, 4, 14, 15, 2}, {"xxxxxxxxx.......", "xxxxxxxxx.......", "xxxxxxxxx......."}},
    {{10, 1, 15}, {"......xxx......x", "...............x", "......xxx......x"}},
    {{10, 1, 15, 15}, {"xxxxxxxxx.......", "xxxxxxxxx.......", "xxxxxxxxx......."}},
};

/// Scores of case `number`: those of times are raised by `more`.
std::vector<float> scores_of_case(std::size_t number, std::size_t factor, float more) {
  std::vector<float> made(16);
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = static_cast<float>((i * factor + 3 * number) % 11) / 2 + (i > 9 ? more : 0);
  return made;
}

} // namespace

TEST_CASE("Whisper's times agree with transformers", "[whisper]") {
  const whisper_rules rules{.prompt = 2, .times = whisper_times{.none = 9, .end = 6, .most_first = 3}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO("case " << i);
    token_ids read{7, 8};
    read.insert(read.end(), cases[i].said.begin(), cases[i].said.end());
    CHECK(allowed(rules, read, scores_of_case(i, 7, 0)) == cases[i].allowed[0]);
    CHECK(allowed(rules, read, scores_of_case(i, 5, 3)) == cases[i].allowed[1]);
    CHECK(allowed(rules, read, scores_of_case(i, 3, -9)) == cases[i].allowed[2]);
  }
}

TEST_CASE("forced tokens come first, suppressed ones never", "[whisper]") {
  const whisper_rules rules{.prompt = 1, .forced = {4, 2}, .suppressed = {0, 3}, .suppressed_first = {1}};
  const std::vector<float> scores{9, 8, 7, 6, 5};
  CHECK(allowed(rules, {}, scores) == "xxxxx"); // the prompt is still being read
  CHECK(allowed(rules, {1}, scores) == "....x");
  CHECK(allowed(rules, {1, 4}, scores) == "..x..");
  CHECK(allowed(rules, {1, 4, 2}, scores) == "..x.x");
  CHECK(allowed(rules, {1, 4, 2, 4}, scores) == ".xx.x");
  CHECK_THROWS_WITH(allowed({.suppressed = {5}}, {1}, scores),
                    "whisper_rules: expected tokens of 0 to 4; found 5");
  CHECK_THROWS_WITH(allowed({.forced = {-1}}, {1}, scores),
                    "whisper_rules: expected tokens of 0 to 4; found -1");
}

TEST_CASE("a filter goes along with every way of decoding", "[whisper]") {
  token_table model = chain(7);
  filtered_scores source(model, whisper_rules{.forced = {0, 3}, .suppressed = {5}});
  CHECK(greedy(source, {2}, {.max_tokens = 5}).ids == token_ids{0, 3, 4, 4, 4});
  const std::vector<hypothesis> beams = beam_search(source, {2}, {.width = 3, .best = 3}, {.max_tokens = 3});
  REQUIRE(beams.size() == 3);
  CHECK(beams[0].ids == token_ids{0, 3, 4});
  CHECK(beams[1].ids == token_ids{0, 3, 3});
  CHECK(beams[2].ids == token_ids{0, 3, 0});
  CHECK(beams[0].log_probability == Approx(2 - std::log(std::exp(2.0) + std::exp(1.0) + 4)));

  // Prompts of different lengths are told apart, and so are the rows that go on with each.
  filtered_scores by_first(model, [](std::span<const token_id> read, std::span<float> scores) {
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (static_cast<token_id>(i) != read.front()) scores[i] = never;
  });
  const std::vector<token_ids> prompts{{1, 2, 3}, {4}, {6, 0}};
  const std::vector<hypothesis> found = greedy(by_first, prompts, {.max_tokens = 2});
  CHECK(found[0].ids == token_ids{1, 1});
  CHECK(found[1].ids == token_ids{4, 4});
  CHECK(found[2].ids == token_ids{6, 6});
}
