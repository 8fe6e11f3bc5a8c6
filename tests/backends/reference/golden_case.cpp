#include "run_graph.hpp"

#include <limits>

using namespace fovea;
using namespace fovea::test;

namespace {

double share(std::vector<float> values, golden_tensor reference) {
  return distance_of(std::span<const float>(values), reference, 0.25, 0.5).share;
}

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();

} // namespace

TEST_CASE("a value's tolerance counts the tensor's largest element and its own", "[golden_case]") {
  CHECK(share({4, 0.5f}, {{2}, {4, 0.5}}) == 0);
  CHECK(share({4, 0.75f}, {{2}, {4, 0.5}}) == 0.25 / (0.5 * 4 + 0.25 * 0.5));
  CHECK(share({7, 0.5f}, {{2}, {4, 0.5}}) == 1);
  CHECK(share({0.25f, 0}, {{2}, {0, 0}}) == 0.5); // below 1 the largest counts as 1
  CHECK(
      distance_of(std::span<const float>(std::vector<float>{1, 3, 2}), {{3}, {1, 2, 1.5}}, 0.25, 0.5).worst ==
      1);
}

TEST_CASE("NaN, infinities and integers pass only where they must", "[golden_case]") {
  CHECK(share({not_a_number}, {{1}, {1}}) == infinity);
  CHECK(share({1}, {{1}, {not_a_number}}) == infinity);
  CHECK(share({infinity}, {{1}, {1}}) == infinity);
  CHECK(share({1}, {{1}, {infinity}}) == infinity);
  CHECK(share({-infinity, 1}, {{2}, {-infinity, 1}}) == 0);
  CHECK(share({2}, {{1}, {3}, true}) == infinity);
  CHECK(share({3}, {{1}, {3}, true}) == 0);
}

TEST_CASE("a case knows its tolerances, and names a tensor that it lacks", "[golden_case]") {
  const golden_case c("attention_causal");
  CHECK(c.rtol("output.y") == 1e-4);
  CHECK(c.atol("grad.input.x") == 2e-5);
  CHECK(c.config()["heads"] == 2);
  CHECK(c.at("input.x").shape == std::vector<std::size_t>{2, 8, 16});
  CHECK_THROWS_WITH(c.at("output.z"), "reference case attention_causal: there is no tensor output.z");
}
