#pragma once

#include <fovea/backends/reference/array.hpp>
#include <fovea/backends/rope_turns.hpp>
#include <fovea/dsl/settings.hpp>

namespace fovea::core::reference_ops {

/// sin(position / base^(2i / width)) at feature 2i and cos of the same at 2i + 1: [positions, width] (Vaswani
/// et al. 2017, section 3.5).
array sinusoidal(std::size_t positions, std::size_t width, double base);

/// Turns pairs (a, b) of features of each head to (a cos t - b sin t, a sin t + b cos t), t = position turns[i]
/// (Su et al. 2021, eq. 34), cos and sin times the amplitude: x [..., T, heads * d]. Of the first `width` features of
/// each head, 2i and 2i + 1 turn together where neighbours do, else i and i + width / 2; the others stay.
array rope(const array& x, const rope_settings& settings, const rope_turns& turns);

} // namespace fovea::core::reference_ops
