#include "weights.hpp"

#include <fovea/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <span>

namespace play_amp_program {

using fovea::weight_tensor;

namespace {

using shape = std::vector<std::size_t>;

/// The numbers of a file, from its first on.
class numbers {
public:
  numbers(const nam_file& file, std::size_t expected) : left_(file.weights) {
    if (left_.size() != expected)
      throw fovea::error(fmt::format("{}: weights: expected {} numbers for \"{}\"; found {}", file.source,
                                     expected, text_of(file.shape), left_.size()));
  }
  weight_tensor next(const shape& sizes) {
    const std::size_t count = std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies());
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return {sizes, {taken.begin(), taken.end()}};
  }

private:
  std::span<const float> left_;
};

/// Columns from `begin` on, before `end`.
weight_tensor columns(const weight_tensor& of, std::size_t begin, std::size_t end) {
  weight_tensor made{{of.shape[0], end - begin}, {}};
  for (std::size_t row = 0; row < of.shape[0]; ++row) {
    const auto values = std::span(of.values).subspan(row * of.shape[1]).first(end);
    made.values.insert(made.values.end(), values.begin() + static_cast<std::ptrdiff_t>(begin), values.end());
  }
  return made;
}

} // namespace

fovea::model_weights weights_in_order(const nam_file& file, const fovea::core::graph_view& model) {
  std::vector<shape> shapes;
  std::size_t count = 0;
  for (const auto& parameter : model.parameters) {
    const auto& of = model.at(parameter.node).shape;
    shape sizes;
    for (int axis = 0; axis < of.rank; ++axis)
      sizes.push_back(static_cast<std::size_t>(model.number(of[axis])));
    count += std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies());
    shapes.push_back(std::move(sizes));
  }
  numbers from(file, count);
  std::map<std::string, weight_tensor> tensors;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    tensors[model.parameter_name(static_cast<int>(i)).text] = from.next(shapes[i]);
  return fovea::model_weights::from(std::move(tensors), file.source);
}

fovea::model_weights lstm_weights(const nam_file& file, const lstm_shape& c) {
  const auto layers = static_cast<std::size_t>(c.layers), hidden = static_cast<std::size_t>(c.hidden);
  const std::size_t gates = 4 * hidden;
  const auto in = [&](std::size_t layer) { return layer == 0 ? 1 : hidden; };
  std::size_t count = hidden + 1;
  for (std::size_t i = 0; i < layers; ++i) count += gates * (in(i) + hidden + 1) + 2 * hidden;
  numbers from(file, count);
  std::map<std::string, weight_tensor> tensors;
  for (std::size_t i = 0; i < layers; ++i) {
    const weight_tensor both = from.next({gates, in(i) + hidden});
    tensors[fmt::format("lstm.weight_ih_l{}", i)] = columns(both, 0, in(i));
    tensors[fmt::format("lstm.weight_hh_l{}", i)] = columns(both, in(i), in(i) + hidden);
    tensors[fmt::format("lstm.bias_ih_l{}", i)] = from.next({gates});
    tensors[fmt::format("lstm.bias_hh_l{}", i)] = {{gates}, std::vector<float>(gates)};
    tensors[fmt::format("first.{}.hidden", i)] = from.next({1, hidden});
    tensors[fmt::format("first.{}.cell", i)] = from.next({1, hidden});
  }
  tensors["head.weight"] = from.next({1, hidden});
  tensors["head.bias"] = from.next({1});
  return fovea::model_weights::from(std::move(tensors), file.source);
}

} // namespace play_amp_program
