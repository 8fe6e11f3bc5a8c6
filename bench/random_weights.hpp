#pragma once

// Weights of no meaning, for models that are only timed.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fovea/fovea.hpp>
#include <map>
#include <random>
#include <string>
#include <utility>

namespace fovea::core::bench {

/// Uniform and so small that what goes through many layers stays finite, a batch norm's variances above zero;
/// the same at each call.
template <class M>
model_weights random_weights(const M&) {
  std::map<std::string, weight_tensor> made;
  const graph_view& g = M::view;
  std::mt19937 random(1);
  for (std::size_t p = 0; p < g.parameters.size(); ++p) {
    const int id = g.parameters[p].node;
    const shape& s = g.at(id).shape;
    for (std::int64_t layer = 0; layer < g.layers(id); ++layer) {
      const std::string name = g.parameter_name(static_cast<int>(p), layer).text;
      weight_tensor t;
      std::size_t count = 1;
      for (int axis = 0; axis < s.rank; ++axis) {
        t.shape.push_back(static_cast<std::size_t>(g.number(s[axis])));
        count *= t.shape.back();
      }
      const double most = 1.5 / std::sqrt(static_cast<double>(count / t.shape.front()));
      std::uniform_real_distribution<double> values(name.ends_with("running_var") ? most / 2 : -most, most);
      for (std::size_t i = 0; i < count; ++i) t.values.push_back(static_cast<float>(values(random)));
      made[name] = std::move(t);
    }
  }
  return model_weights::from(std::move(made));
}

} // namespace fovea::core::bench
