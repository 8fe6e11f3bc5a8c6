#pragma once

#include <cstdint>

namespace fovea::core {

/// How many positions an axis has for so many of the dim that a stream moves along: one for each `rate` of
/// them, or, where it is negative, -rate for each of them.
constexpr std::int64_t positions_at(std::int64_t rate, std::int64_t of_dim) {
  return rate < 0 ? of_dim * -rate : of_dim / rate;
}

} // namespace fovea::core
