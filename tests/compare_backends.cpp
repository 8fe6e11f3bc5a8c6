#include "compare_backends.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fovea::core::test {

golden_tensor values_of(const std::vector<std::size_t>& shape, bool whole, const std::string& name,
                        std::int64_t below) {
  std::size_t size = 1;
  for (std::size_t d : shape) size *= d;
  golden_tensor made{shape, std::vector<double>(size), whole};
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t bits = splitmix64(fnv1a64(name) + i);
    const double u = static_cast<double>(bits >> 40) / 16777216.0;
    made.values[i] = whole ? static_cast<double>(bits % static_cast<std::uint64_t>(below))
                           : static_cast<double>(static_cast<float>(2 * u - 1));
  }
  return made;
}

std::map<std::string, weight_tensor> random_tensors(const graph_view& g, const std::string& salt) {
  std::map<std::string, weight_tensor> made;
  for_parameters(g, [&](const std::string& name, const std::vector<std::size_t>& shape) {
    const golden_tensor from = values_of(shape, false, name + salt);
    std::vector<float> values(from.values.begin(), from.values.end());
    if (name.ends_with("running_var"))
      for (float& x : values) x = 1.5f + x;
    made[name] = {shape, std::move(values)};
  });
  return made;
}

std::map<std::string, std::vector<float>> values_of(const model_weights& from) {
  std::map<std::string, std::vector<float>> made;
  for (const auto& [name, tensor] : from.tensors()) {
    made[name].resize(tensor.bytes.size() / sizeof(float));
    std::memcpy(made[name].data(), tensor.bytes.data(), tensor.bytes.size());
  }
  return made;
}

named_values random_inputs(const graph_view& g, const std::map<std::string, std::size_t>& sizes,
                           const std::string& salt) {
  const auto size_of = [&](const char* symbol) { return static_cast<std::int64_t>(sizes.at(symbol)); };
  named_values inputs;
  const auto allowed = allowed_integers_of(g);
  for (std::size_t i = 0; i < g.inputs.size(); ++i) {
    const named_value& input = g.inputs[i];
    const node& n = g.at(input.node);
    std::vector<std::size_t> shape;
    for (int axis = 0; axis < n.shape.rank; ++axis)
      shape.push_back(static_cast<std::size_t>(g.size(n.shape[axis], size_of)));
    std::int64_t below = 7;
    for (const allowed_integers& each : allowed[i]) below = std::min(below, each.below);
    inputs[input.name] = values_of(shape, n.type == element::i32, input.name + salt, below);
  }
  return inputs;
}

void check_near(const named_values& found, const named_values& expected, double tolerance, double of_all) {
  const auto largest_of = [](const golden_tensor& x) {
    double most = 0;
    for (const double value : x.values) most = std::max(most, std::abs(value));
    return most;
  };
  double largest = 1;
  for (const auto& [name, values] : expected) largest = std::max(largest, largest_of(values));
  for (const auto& [name, values] : found) {
    INFO("output " << name);
    const golden_tensor& right = expected.at(name);
    REQUIRE(values.shape == right.shape);
    const double of_largest = of_all > 0 && largest_of(right) == 0 ? of_all * largest : tolerance;
    const distance d = distance_of(values.values, right, tolerance, of_largest);
    INFO("element " << d.worst << " of " << values.values.size());
    CHECK(d.share <= 1);
  }
}

} // namespace fovea::core::test
