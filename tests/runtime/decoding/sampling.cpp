#include "../../golden_case.hpp"

#include <fovea/runtime/decoding/sampling.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

TEST_CASE("the filters of sampling agree with transformers' warpers") {
  const golden_case c("sampling_filters");
  const golden_tensor& logits = c.at("input.logits");
  const std::size_t rows = logits.shape[0], vocabulary = logits.shape[1];
  const std::vector<float> scores(logits.values.begin(), logits.values.end());
  const nlohmann::json& settings = c.metadata().at("settings");
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const nlohmann::json& s = settings[i];
    const sampling_options options{.temperature = s.value("temperature", 1.0),
                                   .top_k = s.value("top_k", std::size_t{0}),
                                   .top_p = s.value("top_p", 1.0),
                                   .min_p = s.value("min_p", 0.0)};
    std::vector<double> probabilities(rows * vocabulary);
    std::vector<std::int64_t> kept;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto left = filtered(std::span(scores).subspan(row * vocabulary, vocabulary), options);
      kept.push_back(static_cast<std::int64_t>(left.size()));
      for (const auto& [id, p] : left) probabilities[row * vocabulary + static_cast<std::size_t>(id)] = p;
    }
    check(c, "output.probabilities." + std::to_string(i), std::span<const double>(probabilities),
          logits.shape);
    check(c, "output.kept." + std::to_string(i), std::span<const std::int64_t>(kept),
          c.at("output.kept." + std::to_string(i)).shape);
  }
}

TEST_CASE("equal scores are kept alike by top_k, and by id by top_p") {
  const std::vector<float> scores{1, 3, 1, 3, 1, -std::numeric_limits<float>::infinity()};
  CHECK(filtered(scores, {.top_k = 1}).size() == 2);
  CHECK(filtered(scores, {.top_k = 3}).size() == 5);
  CHECK(filtered(scores, {.top_k = 100}).size() == 5);
  const auto likeliest = filtered(scores, {.top_p = 1e-9});
  REQUIRE(likeliest.size() == 1);
  CHECK(likeliest[0].id == 1);
  CHECK(likeliest[0].probability == 1);
  for (const double none : {0.0, 1e-320}) CHECK(filtered(scores, {.top_p = none}).size() == 1);
  CHECK(filtered(scores, {.min_p = 1}).size() == 2);
}

TEST_CASE("scores may be very large, and a temperature very small") {
  const auto left = filtered(std::vector<float>{3e38f, -3e38f, 2.9e38f}, {.temperature = 1e-300});
  CHECK(left[0].probability == 1);
  CHECK(fovea::core::detail::log_sum_exp(std::vector<float>{1000, 1000}) == Approx(1000 + std::log(2.0)));
  CHECK(fovea::core::detail::log_sum_exp(
            std::vector<float>{-2000, -std::numeric_limits<float>::infinity()}) == -2000);
}
