#pragma once

#include <fovea/backends/reference/array.hpp>

namespace fovea::core::reference_ops {

/// sin(position / base^(2i / width)) at feature 2i and cos of the same at 2i + 1: [positions, width] (Vaswani
/// et al. 2017, section 3.5).
array sinusoidal(std::size_t positions, std::size_t width, double base);

struct rope_settings {
  std::size_t heads = 1;
  bool neighbours = false;  // features 2i and 2i + 1 turn together; else i and i + width / 2
  bool turned_back = false; // by the negative angle
  std::size_t width = 2;    // how many features of each head turn, from the first
  double first_position = 0;
  double base = 10000;
};

/// Turns pairs (a, b) of features of each head to (a cos t - b sin t, a sin t + b cos t), t = position /
/// base^(2i / width) (Su et al. 2021, eq. 34): x [..., T, heads * d]; the other features stay.
array rope(const array& x, const rope_settings& settings);

} // namespace fovea::core::reference_ops
