#pragma once

#include <fovea/backends/simd/sets/neon64.hpp>

namespace fovea::core::simd {

/// And the dot products of bytes of ARMv8.2.
struct neon_dotprod : neon64 {
  template <bool of_4_bits>
  struct byte_dot : neon64::byte_dot<of_4_bits> {
    static integers add(const integers& sum, const integers& w, const integers& numbers) {
      return integers(vdotq_s32(sum.data, vreinterpretq_s8_s32(w.data), vreinterpretq_s8_s32(numbers.data)));
    }
    template <size_t lane>
    static integers add_lane(const integers& sum, const integers& w, const integers& numbers) {
      return integers(
          vdotq_laneq_s32(sum.data, vreinterpretq_s8_s32(w.data), vreinterpretq_s8_s32(numbers.data), lane));
    }
  };
};

} // namespace fovea::core::simd
