#pragma once

// Greedy and beam search held against the traces of the reference cases decode_*.

#include "../../golden_case.hpp"

#include <fovea/runtime/decoding/beam_search.hpp>
#include <fovea/runtime/decoding/generate.hpp>

#include <fstream>

namespace fovea::core::test {

/// The trace of a case: `rows`, one for each prompt, and where texts end.
inline nlohmann::json trace_of(const golden_case& c) {
  std::ifstream file(std::string(golden_folder) + "/" + c.metadata().at("traces").get<std::string>());
  return nlohmann::json::parse(file);
}

inline void check_score(const golden_case& c, double found, double expected) {
  INFO("log p " << found << ", expected " << expected);
  CHECK(std::abs(found - expected) <=
        c.atol("output") * std::max(1.0, std::abs(expected)) + c.rtol("output") * std::abs(expected));
}

inline void check_hypotheses(const golden_case& c, std::span<const hypothesis> found,
                             const nlohmann::json& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].ids == expected[i].at("tokens").get<token_ids>());
    check_score(c, found[i].log_probability, expected[i].at("score"));
    if (!expected[i].contains("ended")) continue;
    check_score(c, found[i].score, expected[i].at("score_per_token"));
    CHECK((found[i].ended == ended_by::token) == expected[i].at("ended").get<bool>());
  }
}

/// Decodes the prompts together, greedily and with each width of the case, and compares every step.
template <next_token_model M>
void check_decoding(const golden_case& c, M& model, std::span<const token_ids> prompts) {
  const nlohmann::json trace = trace_of(c), &rows = trace.at("rows");
  REQUIRE(rows.size() == prompts.size());
  const stopping_options where{.max_tokens = trace.at("max_steps"),
                               .end = {trace.at("end_token").get<token_id>()}};

  std::vector<std::size_t> told(prompts.size());
  const auto greedily = greedy(model, prompts, where, [&](const generated_token& t) {
    const nlohmann::json& step = rows[t.prompt].at("greedy").at("steps").at(told[t.prompt]++);
    CHECK(t.id == step.at("token").get<token_id>());
    check_score(c, t.log_probability, step.at("log_prob"));
    return true;
  });
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    const nlohmann::json& expected = rows[p].at("greedy");
    CHECK(greedily[p].ids == expected.at("answer").get<token_ids>());
    CHECK(told[p] == greedily[p].ids.size());
    check_score(c, greedily[p].log_probability, expected.at("score"));
  }

  for (const std::size_t width : c.config().at("widths").get<std::vector<std::size_t>>()) {
    INFO("width " << width);
    const std::string key = std::to_string(width);
    std::vector<std::size_t> steps(prompts.size());
    const auto found =
        beam_search(model, prompts, {.width = width, .best = 1000}, where, [&](const beam_step& step) {
          INFO("prompt " << step.prompt << ", step " << steps[step.prompt] + 1);
          const nlohmann::json& expected =
              rows[step.prompt].at("beam").at(key).at("trace").at(steps[step.prompt]++);
          check_hypotheses(c, step.live, expected.at("live"));
          check_hypotheses(c, step.ended, expected.at("finished"));
          CHECK(step.width == expected.at("beam_size_after").get<std::size_t>());
        });
    for (std::size_t p = 0; p < prompts.size(); ++p) {
      INFO("prompt " << p);
      const nlohmann::json& expected = rows[p].at("beam").at(key);
      CHECK(steps[p] == expected.at("trace").size());
      check_hypotheses(c, found[p], expected.at("candidates"));
      CHECK(found[p].front().ids == expected.at("answer").get<token_ids>());
    }
  }
}

} // namespace fovea::core::test
