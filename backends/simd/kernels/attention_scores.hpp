#pragma once

// What both ways of computing attention do to scores and weights.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/math.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace fovea::core::simd {

/// Leaves the scores as they are (see `attention`).
struct unmodified {};

namespace detail {

/// Below every finite score times log2(e), and finite: the difference of two of them is 0, not NaN.
inline constexpr float lowest_score = std::numeric_limits<float>::lowest();
inline constexpr float invisible = -std::numeric_limits<float>::infinity();

/// first, first + 1, ...
template <class Arch>
inline int_vec<Arch> counting(size_t first) {
  alignas(64) std::int32_t lanes[width<Arch>];
  for (size_t i = 0; i < width<Arch>; ++i) lanes[i] = static_cast<std::int32_t>(first + i);
  return int_vec<Arch>::load_aligned(lanes);
}

/// cap tanh(score / cap) (Gemma team 2024, section 2).
template <class Arch>
inline vec<Arch> soft_capped(const vec<Arch>& score, float cap) {
  return vec<Arch>(cap) * math::tanh<Arch>(score / vec<Arch>(cap));
}

/// The score where lower <= key < upper, else -inf.
template <class Arch>
inline vec<Arch> visible_only(const vec<Arch>& score, const int_vec<Arch>& key, const int_vec<Arch>& lower,
                              const int_vec<Arch>& upper) {
  const auto inside =
      key >= lower && key < upper; // a mask of integers: the choice is made between bit patterns
  return Arch::from_bits(Arch::select(inside, Arch::bits(score), Arch::bits(vec<Arch>(invisible))));
}

/// 1 / sum of the weights; 0 for a row that saw no key.
template <class Arch>
inline vec<Arch> share_of(const vec<Arch>& sum) {
  return Arch::select(sum == vec<Arch>(0.0f), vec<Arch>(0.0f), vec<Arch>(1.0f) / sum);
}

} // namespace detail
} // namespace fovea::core::simd
