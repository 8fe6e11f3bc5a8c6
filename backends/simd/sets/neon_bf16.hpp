#pragma once

#include <fovea/backends/simd/sets/neon64.hpp>

namespace fovea::core::simd {

/// And the bfloat16 of ARMv8.6: rounding to it, and dot products, which take subnormal numbers for zero.
struct neon_bf16 : neon64 {
  static void store_bfloat(const floats& x, unsigned char* to) {
    const bfloat16x4_t narrow = vcvt_bf16_f32(x.data);
    std::memcpy(to, &narrow, sizeof narrow);
  }

  struct bfloat_dot {
    using sums = floats;
    using weights = integers;

    static weights ready(const integers& two) { return two; }
    static floats add(const floats& sum, const weights& w, const integers& two) {
      return floats(vbfdotq_f32(sum.data, vreinterpretq_bf16_s32(two.data), vreinterpretq_bf16_s32(w.data)));
    }
    template <size_t lane>
    static floats add_lane(const floats& sum, const weights& w, const integers& numbers) {
      return floats(vbfdotq_laneq_f32(sum.data, vreinterpretq_bf16_s32(w.data),
                                      vreinterpretq_bf16_s32(numbers.data), lane));
    }
  };
};

} // namespace fovea::core::simd
