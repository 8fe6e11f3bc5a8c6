#pragma once

#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/weights/weights.hpp>

namespace fovea::core {

/// A parameter as the weights of a product, whose rows are its outputs: [rows, depth]. Filters of a convolution,
/// [outputs, features, taps...] as checkpoints have them, are rows of what a window sees: its taps, and in each
/// the features.
struct weight_matrix {
  std::size_t rows, features, taps;

  explicit weight_matrix(std::span<const std::size_t> shape)
      : rows(shape[0]), features(shape[1]),
        taps(std::accumulate(shape.begin() + 2, shape.end(), std::size_t{1}, std::multiplies<>())) {}
  weight_matrix(const graph_view& graph, int parameter);
  std::size_t depth() const { return features * taps; }
};

/// A parameter's values as rows of a product: where they lie, or in `kept` where filters lie otherwise.
weight_view rows_of(const weight_matrix& of, const weight_view& values, std::vector<float>& kept);

/// The rows of a product from a parameter's values, and the parameter's values from these.
std::vector<float> product_rows(const weight_matrix& of, std::span<const float> values);
std::vector<float> parameter_values(const weight_matrix& of, std::span<const float> rows);

} // namespace fovea::core
