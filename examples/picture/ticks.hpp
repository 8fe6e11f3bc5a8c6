#pragma once

#include <cmath>

namespace picture {

/// The distance of an axis's ticks: 1, 2 or 5 times a power of ten, so that at most `most` fit into the span.
inline double tick_of(double span, int most) {
  const double tick = std::pow(10, std::floor(std::log10(span / most)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (span / (tick * factor) <= most) return tick * factor;
  return tick * 10;
}

} // namespace picture
