#pragma once

// The kernels against the specification, on values that look random.

#include "run_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fovea::core::test {

/// Values that look random and are the same everywhere: floats within +-1, integers from 0 to below - 1.
inline golden_tensor values_of(const std::vector<std::size_t>& shape, bool whole, const std::string& name,
                               std::int64_t below = 7) {
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

/// Tensors in the same manner for the parameters of a model, a batch_norm's variance above zero. Others for
/// another `salt`.
template <class M>
std::map<std::string, weight_tensor> random_tensors(const M& model, const std::string& salt = "") {
  std::map<std::string, weight_tensor> made;
  for_parameters(model, [&](const std::string& name, const std::vector<std::size_t>& shape) {
    const golden_tensor from = values_of(shape, false, name + salt);
    std::vector<float> values(from.values.begin(), from.values.end());
    if (name.ends_with("running_var"))
      for (float& x : values) x = 1.5f + x;
    made[name] = {shape, std::move(values)};
  });
  return made;
}
template <class M>
model_weights random_weights(const M& model) {
  return model_weights::from(random_tensors(model));
}

/// What float32 weights hold, by name: to be compared.
inline std::map<std::string, std::vector<float>> values_of(const model_weights& from) {
  std::map<std::string, std::vector<float>> made;
  for (const auto& [name, tensor] : from.tensors()) {
    made[name].resize(tensor.bytes.size() / sizeof(float));
    std::memcpy(made[name].data(), tensor.bytes.data(), tensor.bytes.size());
  }
  return made;
}

namespace detail {

/// The shape of an input where symbols have the given sizes. Not inlined: g++ 12 warns of reads past a dim's
/// name where it knows the graph.
[[gnu::noinline]] inline std::vector<std::size_t>
input_shape(const graph_view& g, int input, const std::map<std::string, std::size_t>& sizes) {
  const auto size_of = [&](const char* symbol) { return static_cast<std::int64_t>(sizes.at(symbol)); };
  std::vector<std::size_t> shape;
  for (int axis = 0; axis < g.at(input).shape.rank; ++axis)
    shape.push_back(static_cast<std::size_t>(g.size(g.at(input).shape[axis], size_of)));
  return shape;
}

} // namespace detail

/// Values for the inputs of a model, which have the given sizes for their symbols; integers below 7 that
/// tables and losses allow. Others for another `salt`.
template <class M>
named_values random_inputs(const M&, const std::map<std::string, std::size_t>& sizes,
                           const std::string& salt = "") {
  named_values inputs;
  const auto allowed = allowed_integers_of(M::view);
  for (std::size_t i = 0; i < M::view.inputs.size(); ++i) {
    const named_value& input = M::view.inputs[i];
    std::int64_t below = 7;
    for (const allowed_integers& each : allowed[i]) below = std::min(below, each.below);
    inputs[input.name] = values_of(detail::input_shape(M::view, input.node, sizes),
                                   M::view.at(input.node).type == element::i32, input.name + salt, below);
  }
  return inputs;
}

/// Holds the kernels against the specification, inputs having the given sizes for their symbols, with one
/// thread and with three. `tolerance` is of each element, and of its output's largest. An output that is all
/// zeros may differ by `of_all` of the largest of all outputs, or of 1.
template <class M>
void compare(const M& model, const std::map<std::string, std::size_t>& sizes, double tolerance = 1e-5,
             double of_all = 0) {
  const named_values inputs = random_inputs(model, sizes);
  const model_weights made = random_weights(model);
  const named_values expected = run_model<reference>(model, made, inputs);
  const auto largest_of = [](const golden_tensor& x) {
    double most = 0;
    for (const double value : x.values) most = std::max(most, std::abs(value));
    return most;
  };
  double largest = 1;
  for (const auto& [name, values] : expected) largest = std::max(largest, largest_of(values));
  for (const int threads : {1, 3}) {
    const named_values found = run_model<f32>(model, made, inputs, threads);
    for (const auto& [name, values] : found) {
      INFO(instruction_set() << ", output " << name << ", " << threads << " threads");
      const golden_tensor& right = expected.at(name);
      REQUIRE(values.shape == right.shape);
      const double of_largest = of_all > 0 && largest_of(right) == 0 ? of_all * largest : tolerance;
      const distance d = distance_of(std::span<const double>(values.values), right, tolerance, of_largest);
      INFO("element " << d.worst << " of " << values.values.size());
      CHECK(d.share <= 1);
    }
  }
}

/// The same at sizes that fit no vector.
template <class M>
void compare_at_awkward_sizes(const M& model) {
  compare(model, {{"B", 1}, {"T", 1}, {"S", 1}});
  compare(model, {{"B", 3}, {"T", 7}, {"S", 5}});
  compare(model, {{"B", 2}, {"T", 17}, {"S", 13}});
}

} // namespace fovea::core::test
