#pragma once

// Runs compiled models on the reference cases.

#include "golden_formula.hpp"

#include <fovea/fovea.hpp>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace fovea::core::test {

/// The parameters of a case under the names its file gives them; made by formula where the case ships none.
inline std::map<std::string, weight_tensor> parameters_of(const golden_case& c) {
  std::map<std::string, weight_tensor> made;
  const auto add = [&](const std::string& name, const golden_tensor& from) {
    made[name] = {from.shape, std::vector<float>(from.values.begin(), from.values.end())};
  };
  if (c.metadata().contains("parameters"))
    for (const auto& [name, shape] : c.metadata().at("parameters").items())
      add(name, formula_tensor(name, shape.get<std::vector<std::size_t>>()));
  const std::string prefix = "param.";
  for (const auto& [name, tensor] : c.tensors())
    if (name.starts_with(prefix)) add(name.substr(prefix.size()), tensor);
  return made;
}

/// The same as the weights of a model.
inline model_weights weights_of(const golden_case& c) {
  return model_weights::from(parameters_of(c), c.name());
}

/// Calls f with the name and the shape of each parameter of a model, once for each layer.
template <class M, class F>
void for_parameters(const M&, F f) {
  const graph_view& g = M::view;
  for (std::size_t p = 0; p < g.parameters.size(); ++p) {
    const int id = g.parameters[p].node;
    std::vector<std::size_t> shape;
    for (int axis = 0; axis < g.at(id).shape.rank; ++axis)
      shape.push_back(static_cast<std::size_t>(g.number(g.at(id).shape[axis])));
    for (std::int64_t layer = 0; layer < g.layers(id); ++layer)
      f(std::string(g.parameter_name(static_cast<int>(p), layer).text), shape);
  }
}

/// Weights by formula for a model, under its own names.
template <class M>
model_weights formula_weights(const M& model) {
  std::map<std::string, weight_tensor> made;
  for_parameters(model, [&](const std::string& name, const std::vector<std::size_t>& shape) {
    const golden_tensor tensor = formula_tensor(name, shape);
    made[name] = {shape, std::vector<float>(tensor.values.begin(), tensor.values.end())};
  });
  return model_weights::from(std::move(made));
}

namespace detail {

template <class number, std::size_t rank>
xt::xtensor<number, rank> tensor_as(const golden_tensor& from) {
  std::array<std::size_t, rank> shape{};
  REQUIRE(from.shape.size() == rank);
  std::copy(from.shape.begin(), from.shape.end(), shape.begin());
  xt::xtensor<number, rank> made(shape);
  for (std::size_t i = 0; i < from.values.size(); ++i) made.data()[i] = static_cast<number>(from.values[i]);
  return made;
}

} // namespace detail

/// An input of a case: of floats, or of ids and lengths.
template <std::size_t rank>
auto floats(const golden_case& c, const std::string& input) {
  return detail::tensor_as<float, rank>(c.at("input." + input));
}
template <std::size_t rank>
auto integers(const golden_case& c, const std::string& input) {
  return detail::tensor_as<std::int64_t, rank>(c.at("input." + input));
}

/// Checks outputs of a call against those of the same names in the case.
template <fixed_name... names, class outputs>
void check_outputs(const golden_case& c, const outputs& out) {
  (check(c, std::string("output.") + names.text, out[output_key<names>{}]), ...);
}

/// f(backend), for the kernels and for the specification: f compiles with compile<decltype(backend)>.
template <class F>
void on_both_backends(F f) {
  {
    INFO("on the kernels, " << instruction_set());
    f(f32{});
  }
  INFO("on the reference backend");
  f(reference{});
}

/// The id of the largest element of each row, and their sums as the cases by formula state them.
template <class container>
std::vector<std::int64_t> largest_of_rows(const container& x) {
  const std::size_t width = x.shape()[x.dimension() - 1];
  std::vector<std::int64_t> ids;
  for (std::size_t row = 0; row < x.size(); row += width)
    ids.push_back(std::max_element(x.data() + row, x.data() + row + width) - (x.data() + row));
  return ids;
}

/// Checks what a case by formula records of a large result [B, T, width]: its first columns (`part`), the sum
/// of its columns 0, 2, 4, ..., or of all where `every` is 1, and the sum of all magnitudes.
template <class container>
void check_parts(const golden_case& c, const std::string& prefix, const container& x, std::size_t every = 2) {
  const golden_tensor& part = c.at("output." + prefix + "part");
  const std::size_t width = x.shape()[2], columns = part.shape[2];
  std::vector<double> first;
  double sum = 0, magnitudes = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = x.data()[i];
    if (i % width < columns) first.push_back(value);
    if (i % width % every == 0) sum += value;
    magnitudes += std::abs(value);
  }
  check(c, "output." + prefix + "part", std::span<const double>(first), part.shape);
  check(c, "output." + prefix + "sum", std::span<const double>(&sum, 1), {});
  check(c, "output." + prefix + "abs_sum", std::span<const double>(&magnitudes, 1), {});
}

/// Checks the most likely ids of logits [B, T, vocab].
template <class container>
void check_argmax(const golden_case& c, const container& logits) {
  const std::vector<std::int64_t> ids = largest_of_rows(logits);
  check(c, "output.argmax", std::span<const std::int64_t>(ids), c.at("output.argmax").shape);
}

/// Continues the prompt of a case with the most likely id at each step, the whole text run again, and checks
/// what comes out. logits_of(ids [1, T]) gives a view of [1, T, vocab].
template <class F>
void check_greedy(const golden_case& c, F logits_of) {
  const golden_tensor& expected = c.at("output.greedy_ids");
  std::vector<std::int64_t> ids;
  for (double id : c.at("input.prompt").values) ids.push_back(static_cast<std::int64_t>(id));
  while (ids.size() < expected.values.size()) {
    const xt::xtensor<std::int64_t, 2> text = xt::adapt(ids, std::array<std::size_t, 2>{1, ids.size()});
    ids.push_back(largest_of_rows(logits_of(text)).back());
  }
  check(c, "output.greedy_ids", std::span<const std::int64_t>(ids), expected.shape);
}

} // namespace fovea::core::test
