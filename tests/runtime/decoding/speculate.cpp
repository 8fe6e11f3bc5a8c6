#include "next_tokens.hpp"

#include <fovea/decoding.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <map>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr float never = -std::numeric_limits<float>::infinity();

/// Proposes the same tokens whatever the text is.
struct fixed_draft {
  std::vector<proposed_token> tokens;
  void begin() {}
  std::vector<proposed_token> propose(std::span<const token_id>, std::size_t most, const sampling_options&) {
    return {tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(std::min(most, tokens.size()))};
  }
};

/// How probable each text is that `sample` draws, of so many tokens or up to one of `where.end`.
std::map<token_ids, double> probabilities(token_table& model, const token_ids& prompt,
                                          const sampling_options& how, const stopping_options& where) {
  std::map<token_ids, double> found;
  const auto go_on = [&](const auto& self, const token_ids& written, double p) -> void {
    if (written.size() == where.max_tokens ||
        (!written.empty() && std::ranges::find(where.end, written.back()) != where.end.end())) {
      found[written] += p;
      return;
    }
    token_ids read = prompt;
    read.insert(read.end(), written.begin(), written.end());
    model.begin(1);
    for (const auto& [id, next] : filtered(model.step(read).last(0), how, read)) {
      token_ids longer = written;
      longer.push_back(id);
      self(self, longer, p * next);
    }
  };
  go_on(go_on, {}, 1);
  return found;
}

/// Holds as many drawn texts against their probabilities (Pearson's chi-square; its mean is the degrees of freedom, and its
/// variance twice that). Rare texts count together.
template <class F>
void check_frequencies(const std::map<token_ids, double>& expected, std::size_t draws, F draw) {
  std::map<token_ids, double> counts;
  for (std::size_t seed = 0; seed < draws; ++seed) ++counts[draw(seed)];
  double sum = 0, cells = 0, rare = 0, rare_found = 0;
  const auto add = [&](double found, double mean) {
    sum += (found - mean) * (found - mean) / mean;
    ++cells;
  };
  for (const auto& [ids, p] : expected) {
    const double mean = p * static_cast<double>(draws);
    if (mean >= 10) {
      add(counts[ids], mean);
    } else {
      rare += mean;
      rare_found += counts[ids];
    }
    counts.erase(ids);
  }
  if (rare >= 10) add(rare_found, rare);
  CHECK(counts.empty()); // texts that cannot be
  REQUIRE(cells > 5);
  INFO("chi-square " << sum << " of " << cells << " cells");
  CHECK(sum < cells - 1 + 4 * std::sqrt(2 * (cells - 1)));
}

} // namespace

TEST_CASE("texts that a draft model proposes are as probable as those of sample", "[speculate]") {
  token_table model = drawn_model(4, 1, 1.5f), small = drawn_model(4, 2, 1.5f);
  const token_ids prompt{1, 2};
  const stopping_options where{.max_tokens = 4, .end = {3}};
  for (const sampling_options& options :
       {sampling_options{}, sampling_options{.temperature = 0.6, .top_k = 3}, sampling_options{.top_p = 0.8},
        sampling_options{.temperature = 1.4, .min_p = 0.15, .repetition_penalty = 1.6}})
    for (const std::size_t tokens : {1u, 2u, 5u}) {
      CAPTURE(options.temperature, options.top_p, tokens);
      model_draft draft(small, tokens);
      std::size_t proposed = 0, accepted = 0;
      check_frequencies(probabilities(model, prompt, options, where), 20000, [&](std::size_t seed) {
        sampling_options how = options;
        how.seed = seed;
        const speculated_text text = speculate(model, draft, prompt, how, where);
        proposed += text.proposed;
        accepted += text.accepted;
        return text.ids;
      });
      CHECK(accepted > proposed / 10);
      CHECK(accepted < proposed);
    }
}

TEST_CASE("a proposed token is accepted with the probability that both models give it", "[speculate]") {
  token_table model = drawn_model(6, 3, 1.5f), small = drawn_model(6, 4, 1.5f);
  model_draft draft(small, 1);
  double accepted = 0, expected = 0, variance = 0;
  for (std::size_t seed = 0; seed < 20000; ++seed) {
    const speculated_text text = speculate(model, draft, {1}, {.seed = seed}, {.max_tokens = 3});
    // Of the second token, behind the first, which is known.
    model.begin(1), small.begin(1);
    const token_ids first{text.ids[0]};
    const auto p = filtered(model.step(first).last(0), {}), q = filtered(small.step(first).last(0), {});
    double both = 0;
    for (std::size_t id = 0; id < 6; ++id) both += std::min(p[id].probability, q[id].probability);
    REQUIRE(text.proposed == 1);
    expected += both;
    variance += both * (1 - both);
    accepted += static_cast<double>(text.accepted);
  }
  CHECK(std::abs(accepted - expected) < 5 * std::sqrt(variance));
}

TEST_CASE("a draft that is the model itself is always right", "[speculate]") {
  token_table model = drawn_model(20, 5, 1.5f), draft_model = drawn_model(20, 5, 1.5f);
  model_draft draft(draft_model, 7);
  for (std::size_t seed = 0; seed < 50; ++seed) {
    const speculated_text text = speculate(
        model, draft, {1, 4}, {.top_p = 0.9, .repetition_penalty = 1.2, .seed = seed}, {.max_tokens = 33});
    CHECK(text.ids.size() == 33);
    CHECK(text.accepted == text.proposed);
    CHECK(text.proposed == 28); // after the first, four times 7 and one more
  }
}

TEST_CASE("a text that is looked up is the one that sample draws", "[speculate]") {
  token_table model = drawn_model(5, 6, 1.5f);
  const token_ids prompt{1, 2, 3, 1, 2, 4, 0, 1};
  std::size_t accepted = 0;
  for (const std::size_t tokens : {1u, 3u, 20u}) {
    lookup_draft draft({.tokens = tokens});
    for (std::size_t seed = 0; seed < 200; ++seed) {
      const sampling_options how{.temperature = 0.5, .min_p = 0.05, .repetition_penalty = 1.1, .seed = seed};
      const stopping_options where{.max_tokens = 1 + seed % 40, .end = {4}};
      const hypothesis expected = sample(model, prompt, how, where)[0];
      const speculated_text text = speculate(model, draft, prompt, how, where);
      CHECK(text.ids == expected.ids);
      CHECK(text.log_probability == expected.log_probability);
      CHECK(text.score == expected.score);
      CHECK(text.ended == expected.ended);
      CHECK(text.accepted <= text.proposed);
      accepted += text.accepted;
    }
  }
  CHECK(accepted > 1000);
}

TEST_CASE("by temperature 0 the text is that of greedy, whatever the draft says", "[speculate]") {
  token_table model = drawn_model(9, 7, 1.5f), small = drawn_model(9, 8, 1.5f);
  const token_ids prompt{3, 5};
  const stopping_options where{.max_tokens = 25, .end = {8}};
  const hypothesis expected = greedy(model, prompt, where);
  const auto check = [&](auto draft) {
    const speculated_text text = speculate(model, draft, prompt, {.temperature = 0}, where);
    CHECK(text.ids == expected.ids);
    CHECK(text.log_probability == expected.log_probability);
  };
  check(lookup_draft());
  check(model_draft(small, 3));
  check(fixed_draft{{{1}, {2}, {3}}});
  check(fixed_draft{});
}

TEST_CASE("a caller sees each token, and ends a text among those that were proposed", "[speculate]") {
  token_table model = chain(30);
  fixed_draft draft{{{3}, {4}, {5}, {6}}};
  token_ids seen;
  const speculated_text text =
      speculate(model, draft, {1}, {.temperature = 0}, {.max_tokens = 9}, [&](const generated_token& t) {
        seen.push_back(t.id);
        return t.id != 4;
      });
  CHECK(text.ids == token_ids{2, 3, 4});
  CHECK(seen == text.ids);
  CHECK(text.ended == ended_by::caller);
  CHECK(text.proposed == 4);
  CHECK(text.accepted == 2);
}

TEST_CASE("a filter changes the scores of proposed tokens, and of none that do not come", "[speculate]") {
  token_table model = drawn_model(6, 9, 1.5f), small = drawn_model(6, 10, 1.5f);
  // No token comes twice in a row; a text in which one does would be an error.
  const auto rule = [](std::span<const token_id> read, std::span<float> scores) {
    for (std::size_t i = 1; i < read.size(); ++i)
      if (read[i] == read[i - 1]) throw error("a token came twice");
    scores[static_cast<std::size_t>(read.back())] = never;
  };
  filtered_scores source(model, rule), beside(model, rule);
  lookup_draft draft;
  fixed_draft twice{{{2}, {2}, {2}}};
  filtered_scores ruled(small, rule);
  model_draft by_model(ruled, 3);
  for (std::size_t seed = 0; seed < 100; ++seed) {
    const sampling_options how{.seed = seed};
    const hypothesis expected = sample(beside, {1}, how, {.max_tokens = 20})[0];
    CHECK(speculate(source, draft, {1}, how, {.max_tokens = 20}).ids == expected.ids);
    CHECK(speculate(source, twice, {1}, how, {.max_tokens = 20}).ids == expected.ids);
    CHECK(speculate(source, by_model, {1}, how, {.max_tokens = 20}).ids.size() == 20);
  }
}

TEST_CASE("the newest tokens are looked up where they last were", "[speculate]") {
  const auto proposed = [](const token_ids& text, const lookup_options& options, std::size_t most = 100) {
    token_ids ids;
    for (const proposed_token& p : lookup_draft(options).propose(text, most, {})) {
      CHECK(p.drawn_from.empty());
      ids.push_back(p.id);
    }
    return ids;
  };
  CHECK(proposed({1, 2, 3, 4, 5, 2, 3}, {.tokens = 2}) == token_ids{4, 5});
  CHECK(proposed({1, 2, 3, 4, 5, 2, 3}, {.tokens = 2}, 1) == token_ids{4});
  CHECK(proposed({1, 2, 3, 4, 5, 2, 3}, {.tokens = 2}, 0).empty());
  CHECK(proposed({7, 1, 2, 3, 8, 2, 9, 1, 2}, {.tokens = 2, .longest = 2}) == token_ids{3, 8});
  CHECK(proposed({7, 1, 2, 3, 8, 2, 9, 1, 2}, {.tokens = 2, .longest = 1}) == token_ids{9, 1});
  CHECK(proposed({5, 1, 5, 2, 5}, {.tokens = 1, .longest = 1}) == token_ids{2}); // the last of two places
  CHECK(proposed({1, 2, 1, 2}, {.tokens = 5, .longest = 2}) == token_ids{1, 2, 1, 2, 1});
  CHECK(proposed({3, 3}, {.tokens = 3}) == token_ids{3, 3, 3});
  CHECK(proposed({1, 2, 3, 1}, {.longest = 3, .shortest = 2}).empty());
  CHECK(proposed({1, 2, 3}, {}).empty());
  CHECK(proposed({1}, {}).empty());
  CHECK(proposed({}, {}).empty());
  const std::size_t whole = std::numeric_limits<std::size_t>::max(); // as long as there are
  CHECK(proposed({1, 2, 1, 2}, {.tokens = 1, .longest = whole}) == token_ids{1});
  CHECK(proposed({1, 2, 3}, {.tokens = 1, .longest = whole, .shortest = whole}).empty());
}

TEST_CASE("what can not be speculated is said in one sentence", "[speculate]") {
  token_table model = chain(3), larger = chain(4);
  CHECK_THROWS_WITH(lookup_draft({.tokens = 0}), "lookup_draft: expected tokens of 1 or more; found 0");
  CHECK_THROWS_WITH(lookup_draft({.longest = 2, .shortest = 3}),
                    "lookup_draft: expected shortest of 1 to longest, 2; found 3");
  CHECK_THROWS_WITH(lookup_draft({.shortest = 0}),
                    "lookup_draft: expected shortest of 1 to longest, 3; found 0");
  CHECK_THROWS_WITH(model_draft(larger, 0), "model_draft: expected tokens of 1 or more; found 0");

  model_draft four(larger);
  CHECK_THROWS_WITH(speculate(model, four, {1}, {}, {}),
                    "speculate: expected a draft of the model's 3 tokens; found one of 4");
  fixed_draft unknown{{{3}}}, negative{{{-1}}};
  CHECK_THROWS_WITH(speculate(model, unknown, {1}, {}, {}),
                    "speculate: expected proposed tokens of 0 to 2; found 3");
  CHECK_THROWS_WITH(speculate(model, negative, {1}, {}, {}),
                    "speculate: expected proposed tokens of 0 to 2; found -1");
  struct : fixed_draft {
    std::vector<proposed_token> propose(std::span<const token_id>, std::size_t, const sampling_options&) {
      return {{1}, {2}};
    }
  } eager;
  CHECK_THROWS_WITH(speculate(model, eager, {1}, {}, {.max_tokens = 2}),
                    "speculate: expected at most 0 proposed tokens; found 2");

  lookup_draft draft;
  CHECK_THROWS_WITH(speculate(model, draft, {}, {}, {}),
                    "prompt 0 is empty; a text to go on with holds at least one id (that of its start)");
  CHECK_THROWS_WITH(speculate(model, draft, {1}, {.temperature = -1}, {}),
                    "sampling: expected temperature of 0 or more; found -1");
  CHECK_THROWS_WITH(speculate(model, draft, {1}, {}, {.max_tokens = 0}),
                    "decoding: expected max_tokens of 1 or more; found 0");
  CHECK_THROWS_WITH(speculate(model, draft, {1}, {.samples = 2}, {}),
                    "speculate: expected samples of 1, a text at a time; found 2");

  struct last_alone : token_table {
    using token_table::token_table;
    std::vector<float> kept;
    token_scores step(std::span<const token_id> ids) {
      const auto scores = token_table::step(ids).last(0);
      kept.assign(scores.begin(), scores.end());
      return {kept.data(), 1, 1, kept.size()};
    }
  } last{scores_of(1, 3)};
  fixed_draft some{{{1}, {2}}};
  CHECK_THROWS_WITH(
      speculate(last, some, {1}, {}, {}),
      "speculate: expected scores after each of 3 ids, found those after the last alone; give it "
      "the model without last<T>(...)");
}
