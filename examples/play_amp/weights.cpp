#include "weights.hpp"

#include "wavenet_tensors.hpp"

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

/// Numbers of a file, from the first on.
class numbers {
public:
  explicit numbers(std::span<const float> all) : left_(all) {}
  weight_tensor next(const std::vector<std::size_t>& sizes) {
    const std::size_t count = std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies());
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return {sizes, {taken.begin(), taken.end()}};
  }
  /// With 0 between the groups of a tensor [out, in, ...].
  weight_tensor next(const named_tensor& one) {
    if (one.groups == 1) return next(one.sizes);
    const auto taken = left_.first(one.count());
    left_ = left_.subspan(one.count());
    const std::size_t out = one.sizes[0], in = one.sizes[1], outs = out / one.groups, ins = in / one.groups;
    const std::size_t taps = taken.size() / (out * ins);
    weight_tensor made{one.sizes, std::vector<float>(out * in * taps)};
    for (std::size_t row = 0; row < out; ++row)
      std::ranges::copy(taken.subspan(row * ins * taps, ins * taps),
                        made.values.begin() +
                            static_cast<std::ptrdiff_t>((row * in + row / outs * ins) * taps));
    return made;
  }

private:
  std::span<const float> left_;
};

void expect_count(const nam_file& file, std::size_t expected) {
  if (file.weights.size() != expected)
    throw fovea::error(fmt::format("{}: weights: expected {} numbers for \"{}\"; found {}", file.source,
                                   expected, text_of(file.shape), file.weights.size()));
}

using tensor_map = std::map<std::string, weight_tensor>;

/// A WaveNet's, whose numbers and slopes a file has in this order.
fovea::model_weights filled(const nam_file& file, const std::vector<named_tensor>& tensors,
                            const std::vector<named_tensor>& slopes) {
  std::size_t count = 0;
  for (const named_tensor& one : tensors) {
    if (one.groups != 1 && (one.sizes[0] % one.groups != 0 || one.sizes[1] % one.groups != 0))
      throw fovea::error(fmt::format("{}: {}: expected groups that divide {} and {} features; found {}",
                                     file.source, one.name, one.sizes[1], one.sizes[0], one.groups));
    count += one.count();
  }
  expect_count(file, count);
  numbers weights(file.weights), of_slopes(file.slopes);
  tensor_map made;
  for (const named_tensor& one : tensors) made[one.name] = weights.next(one);
  for (const named_tensor& one : slopes) made[one.name] = of_slopes.next(one);
  return fovea::model_weights::from(std::move(made), file.source);
}

/// Those of the condition, and then those of the network that sees it.
std::vector<named_tensor> both(std::vector<named_tensor> condition,
                               const std::vector<named_tensor>& network) {
  for (named_tensor& one : condition) one.name = "condition." + one.name;
  condition.insert(condition.end(), network.begin(), network.end());
  return condition;
}

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

fovea::model_weights weights_of(const nam_file& file, const wavenet_shape& shape) {
  return filled(file, tensors_of(shape, 1, file.groups), slopes_of(shape));
}

fovea::model_weights weights_of(const nam_file& file, const conditioned_shape& c) {
  const std::span groups(file.groups);
  const std::size_t first = std::min(c.condition.count, groups.size());
  return filled(file,
                both(tensors_of(c.condition, 1, groups.first(first)),
                     tensors_of(c.network, c.condition.out(), groups.subspan(first))),
                both(slopes_of(c.condition), slopes_of(c.network)));
}

fovea::model_weights weights_of(const nam_file& file, const lstm_shape& c) {
  const auto layers = static_cast<std::size_t>(c.layers), hidden = static_cast<std::size_t>(c.hidden);
  const std::size_t gates = 4 * hidden;
  const auto in = [&](std::size_t layer) { return layer == 0 ? 1 : hidden; };
  std::size_t count = hidden + 1;
  for (std::size_t i = 0; i < layers; ++i) count += gates * (in(i) + hidden + 1) + 2 * hidden;
  expect_count(file, count);
  numbers from(file.weights);
  tensor_map tensors;
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
