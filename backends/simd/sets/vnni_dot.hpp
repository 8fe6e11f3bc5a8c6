#pragma once

#include <cstdint>

namespace fovea::core::simd {

/// Dot products of bytes by the one instruction that is made for them, whose weights have no sign: what
/// kernels/byte_dot.hpp asks for. A set has it as dot_bytes(sum, w, x).
template <class Set, bool of_4_bits>
struct vnni_dot {
  using sums = typename Set::integers;
  using weights = sums;
  static constexpr int excess = of_4_bits ? 3 : 7;
  static constexpr bool one_instruction = true;

  static weights ready(const sums& bytes) {
    return of_4_bits ? bytes : bytes ^ sums(static_cast<std::int32_t>(0x80808080u));
  }
  static sums add(const sums& sum, const weights& w, const sums& numbers) {
    return Set::dot_bytes(sum, w, numbers);
  }
};

} // namespace fovea::core::simd
