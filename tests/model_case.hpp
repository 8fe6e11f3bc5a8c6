#pragma once

// Runs compiled models on the reference cases.

#include "golden_formula.hpp"

#include <fovea/fovea.hpp>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fovea::core::test {

/// The parameters of a case under the names its file gives them; made by formula where the case ships none.
std::map<std::string, weight_tensor> parameters_of(const golden_case& c);
/// The same as the weights of a model.
model_weights weights_of(const golden_case& c);

/// Calls f with the name and the shape of each parameter of a model, once for each layer.
void for_parameters(const graph_view& g,
                    const std::function<void(const std::string&, const std::vector<std::size_t>&)>& f);

/// Weights by formula for a model, under its own names.
model_weights formula_weights(const graph_view& g);
template <class M>
model_weights formula_weights(const M&) {
  return formula_weights(M::view);
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
