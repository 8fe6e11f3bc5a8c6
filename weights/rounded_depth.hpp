#pragma once

#include <cstddef>
#include <string>

#include <fovea/weights/panel_layout.hpp>

namespace fovea::core {

/// What keeps products of a format from taking rows of so many values; "" where they do.
inline std::string depth_problem(weight_format format, std::size_t depth) {
  const std::size_t most = most_rounded_depth / (sums_integers(format) ? 1 : 2);
  if (!rounds_rows(format) || depth <= most) return "";
  return "expected at most " + std::to_string(most) + " inputs for " + name_of(format) + ", found " +
         std::to_string(depth);
}

} // namespace fovea::core
