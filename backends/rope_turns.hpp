#pragma once

#include <cstddef>
#include <vector>

#include <fovea/dsl/rope_scaling.hpp>

namespace fovea::core {

/// Of a rope over `width` features: how far each pair of features turns from position to position, in radians, and what sine and cosine are
/// multiplied by.
struct rope_turns {
  std::vector<double> turns;
  double amplitude = 1;
};
rope_turns rope_turns_of(double base, std::size_t width, const rope_scaling& scaling);

} // namespace fovea::core
