#pragma once

#include <charconv>

namespace fovea::programs {

/// The number that JSON shows with no more digits than tell the float from all others.
inline double shortest(float value) {
  char text[32];
  const auto [end, problem] = std::to_chars(text, text + sizeof text, value);
  double number = value;
  std::from_chars(text, end, number);
  return number;
}

} // namespace fovea::programs
