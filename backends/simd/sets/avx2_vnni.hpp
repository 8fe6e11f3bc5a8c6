#pragma once

#include <fovea/backends/simd/sets/avx2.hpp>
#include <fovea/backends/simd/sets/vnni_dot.hpp>

namespace fovea::core::simd {

/// And AVX_VNNI.
struct avx2_vnni : avx2 {
  template <bool of_4_bits>
  using byte_dot = vnni_dot<avx2_vnni, of_4_bits>;
  static integers dot_bytes(const integers& sum, const integers& w, const integers& x) {
    return _mm256_dpbusd_avx_epi32(sum, w, x);
  }
  static integers dot_shorts(const integers& sum, const integers& x, const integers& y) {
    return _mm256_dpwssd_avx_epi32(sum, x, y);
  }
};

} // namespace fovea::core::simd
