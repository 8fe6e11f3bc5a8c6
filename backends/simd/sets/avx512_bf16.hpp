#pragma once

#include <fovea/backends/simd/sets/avx512.hpp>

namespace fovea::core::simd {

/// And AVX512_BF16: rounding to bfloat16, and the instruction that is made for dot products of them, which
/// takes subnormal numbers for zero.
struct avx512_bf16 : avx512 {
  static void store_bfloat(const floats& x, unsigned char* to) {
    const __m256bh narrow = _mm512_cvtneps_pbh(x);
    std::memcpy(to, &narrow, sizeof narrow);
  }

  struct bfloat_dot {
    using sums = floats;
    using weights = integers;

    static weights ready(const integers& two) { return two; }
    static floats add(const floats& sum, const weights& w, const integers& two) {
      return _mm512_dpbf16_ps(sum, std::bit_cast<__m512bh>(two.data), std::bit_cast<__m512bh>(w.data));
    }
  };
};

} // namespace fovea::core::simd
