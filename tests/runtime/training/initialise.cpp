// What learning begins with: the distributions that a declaration asks for, by a seed.

#include <fovea/dsl.hpp>
#include <fovea/runtime/training/initialise.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

using namespace fovea;
using namespace fovea::core;

namespace {

constexpr auto drawn = model("drawn", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 48});
  const auto keep = [&](const char* name, expr parameter) { g.output(name, parameter); };
  keep("zeros", parameter(x, "zeros", {64, 48}, init::zeros()));
  keep("ones", parameter(x, "ones", {5}, init::ones()));
  keep("constant", parameter(x, "constant", {5}, init::constant(-0.5)));
  keep("normal", parameter(x, "normal", {64, 48}, init::normal(0.02)));
  keep("other", parameter(x, "other", {64, 48}, init::normal(0.02)));
  keep("uniform", parameter(x, "uniform", {64, 48}, init::uniform(0.3)));
  keep("xavier", parameter(x, "xavier", {64, 48}, init::xavier(2)));
  keep("filter", parameter(x, "filter", {64, 40, 3}, init::xavier()));
  keep("he", parameter(x, "he", {64, 48}, init::he()));
  keep("wide", parameter(x, "wide", {8, 20}, init::orthogonal(1.5)));
  keep("tall", parameter(x, "tall", {20, 8}, init::orthogonal()));
  keep("cubic", parameter(x, "cubic", {6, 3, 4}, init::orthogonal()));
  keep("line", parameter(x, "line", {3000}, init::orthogonal(2)));
  keep("linear", linear(x, "linear", 64));
  keep("words", embedding(g.input<i32>("ids", {"B"}), "words", 100, 30));
});

std::vector<float> values_of(const model_weights& from, const std::string& name) {
  const stored_tensor& tensor = from.tensors().at(name);
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

double mean_of(const std::vector<float>& values) {
  double sum = 0;
  for (const float x : values) sum += static_cast<double>(x);
  return sum / static_cast<double>(values.size());
}
double deviation_of(const std::vector<float>& values) {
  double sum = 0;
  const double mean = mean_of(values);
  for (const float x : values) sum += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

/// Thousands of numbers, of which seven deviations of their mean and their deviation are allowed.
void check_normal(const std::vector<float>& values, double deviation) {
  const double of_mean = deviation / std::sqrt(static_cast<double>(values.size()));
  CHECK(std::abs(mean_of(values)) < 7 * of_mean);
  CHECK(std::abs(deviation_of(values) - deviation) < 7 * of_mean / std::sqrt(2));
  // A normal distribution has a third of them beyond one deviation, and nearly none beyond five.
  const auto beyond = [&](double times) {
    return static_cast<double>(
        std::ranges::count_if(values, [&](float x) { return std::abs(x) > times * deviation; }));
  };
  CHECK(beyond(1) > 0.27 * static_cast<double>(values.size()));
  CHECK(beyond(1) < 0.37 * static_cast<double>(values.size()));
  CHECK(beyond(5) <= 1);
}
void check_uniform(const std::vector<float>& values, double bound) {
  for (const float x : values) REQUIRE(std::abs(static_cast<double>(x)) <= bound * (1 + 1e-6));
  CHECK(static_cast<double>(std::ranges::max(values)) > 0.98 * bound);
  CHECK(static_cast<double>(std::ranges::min(values)) < -0.98 * bound);
  CHECK(deviation_of(values) == Approx(bound / std::sqrt(3)).epsilon(0.05));
}

/// Rows, or columns where these are fewer, of that length at right angles.
void check_orthogonal(const std::vector<float>& values, std::size_t rows, std::size_t columns,
                      double length) {
  REQUIRE(values.size() == rows * columns);
  const std::size_t count = std::min(rows, columns), size = std::max(rows, columns);
  const auto at = [&](std::size_t i, std::size_t j) {
    return static_cast<double>(rows <= columns ? values[i * columns + j] : values[j * columns + i]);
  };
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      double product = 0;
      for (std::size_t j = 0; j < size; ++j) product += at(i, j) * at(k, j);
      CHECK(product == Approx(i == k ? length * length : 0).margin(1e-5));
    }
}

} // namespace

TEST_CASE("parameters begin as their declaration says") {
  const model_weights made = initial_weights(drawn, 3);
  const auto of = [&](const char* name) { return values_of(made, name); };
  CHECK(of("zeros") == std::vector<float>(64 * 48, 0));
  CHECK(of("ones") == std::vector<float>(5, 1));
  CHECK(of("constant") == std::vector<float>(5, -0.5f));
  check_normal(of("normal"), 0.02);
  check_uniform(of("uniform"), 0.3);
  check_uniform(of("xavier"), 2 * std::sqrt(6.0 / (48 + 64)));
  check_uniform(of("filter"), std::sqrt(6.0 / (40 * 3 + 64 * 3)));
  check_normal(of("he"), std::sqrt(2.0 / 48));
  check_orthogonal(of("wide"), 8, 20, 1.5);
  check_orthogonal(of("tall"), 20, 8, 1);
  check_orthogonal(of("cubic"), 6, 12, 1);
  check_normal(of("line"), 2 / std::sqrt(3000.0));
}

TEST_CASE("what says nothing begins as in PyTorch") {
  const model_weights made = initial_weights(drawn, 4);
  check_uniform(values_of(made, "linear.weight"), 1 / std::sqrt(48.0));
  CHECK(values_of(made, "linear.bias") == std::vector<float>(64, 0));
  check_normal(values_of(made, "words.weight"), 1);
}

TEST_CASE("a seed gives the same numbers again, each parameter its own") {
  const model_weights one = initial_weights(drawn, 5), again = initial_weights(drawn, 5),
                      other = initial_weights(drawn, 6);
  for (const auto& [name, tensor] : one.tensors()) {
    INFO(name);
    CHECK(values_of(one, name) == values_of(again, name));
  }
  CHECK(values_of(one, "normal") != values_of(other, "normal"));
  CHECK(values_of(one, "normal") != values_of(one, "other"));
  CHECK(values_of(one, "tall") != values_of(other, "tall"));
}
