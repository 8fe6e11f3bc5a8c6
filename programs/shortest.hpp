#pragma once

#include <fovea/base/read_number.hpp>

#include <charconv>

namespace fovea::programs {

/// The number that JSON shows with no more digits than tell the float from all others.
inline double shortest(float value) {
  char text[32];
  const auto [end, problem] = std::to_chars(text, text + sizeof text, value);
  return core::number_in<double>({text, end}).value_or(value);
}

} // namespace fovea::programs
