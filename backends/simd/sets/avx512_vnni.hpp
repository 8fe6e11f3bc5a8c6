#pragma once

#include <fovea/backends/simd/sets/avx512.hpp>
#include <fovea/backends/simd/sets/vnni_dot.hpp>

namespace fovea::core::simd {

/// And AVX512_VNNI.
struct avx512_vnni : avx512 {
  template <bool of_4_bits>
  using byte_dot = vnni_dot<avx512_vnni, of_4_bits>;
  static integers dot_bytes(const integers& sum, const integers& w, const integers& x) {
    return _mm512_dpbusd_epi32(sum, w, x);
  }
  static integers pair_shorts(const integers& low, const integers& high) {
    return (low & integers(0xffff)) | (high << 16);
  }
  static integers dot_shorts(const integers& sum, const integers& x, const integers& y) {
    return _mm512_dpwssd_epi32(sum, x, y);
  }
};

} // namespace fovea::core::simd
