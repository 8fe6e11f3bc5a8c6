#include "../../golden_formula.hpp"
#include "run_graph.hpp"

#include <limits>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

double share(std::vector<double> values, golden_tensor reference) {
  return distance_of(values, reference, 0.25, 0.5).share;
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("a value's tolerance counts the tensor's largest element and its own", "[golden_case]") {
  CHECK(share({4, 0.5}, {{2}, {4, 0.5}}) == 0);
  CHECK(share({4, 0.75}, {{2}, {4, 0.5}}) == 0.25 / (0.5 * 4 + 0.25 * 0.5));
  CHECK(share({7, 0.5}, {{2}, {4, 0.5}}) == 1);
  CHECK(share({0.25, 0}, {{2}, {0, 0}}) == 0.5); // below 1 the largest counts as 1
  CHECK(distance_of(std::vector<double>{1, 3, 2}, {{3}, {1, 2, 1.5}}, 0.25, 0.5).worst == 1);
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

TEST_CASE("weights by formula have the check values of the reference data", "[golden_case]") {
  static_assert(splitmix64(0) == 0xe220a8397b1dcdafu);
  static_assert(fnv1a64("src_embedding.weight") == 0x6b9ff5443e8c9dafu);
  const auto elements = [](const std::string& name, const std::vector<std::size_t>& shape) {
    const golden_tensor made = formula_tensor(name, shape);
    REQUIRE(made.values.size() == shape[0] * shape[1]);
    return std::vector<double>{made.values[0], made.values[1], made.values[12345]};
  };
  CHECK(elements("src_embedding.weight", {1000, 512}) ==
        std::vector<double>{-0.0006817483808845282, 0.0034945630468428135, -0.0060458495281636715});
  CHECK(elements("transformer.encoder.layers.0.self_attn.in_proj_weight", {1536, 512}) ==
        std::vector<double>{0.0343707799911499, -0.0072536044754087925, -0.011183840222656727});
  CHECK(elements("generator.weight", {1000, 512}) ==
        std::vector<double>{-0.04142381250858307, -0.007765009067952633, -0.011594666168093681});
  CHECK(formula_tensor("layers.0.norm1.weight", {3}).values == std::vector<double>{1, 1, 1});
  CHECK(formula_tensor("layers.0.norm1.bias", {2}).values == std::vector<double>{0, 0});
}
