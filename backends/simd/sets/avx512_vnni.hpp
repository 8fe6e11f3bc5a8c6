#pragma once

#include <fovea/backends/simd/sets/avx512.hpp>

namespace fovea::core::simd {

/// And AVX512_VNNI: the instruction that is made for dot products of bytes, whose weights have no sign.
struct avx512_vnni : avx512 {
  template <bool of_4_bits>
  struct byte_dot {
    using sums = integers;
    static constexpr int excess = of_4_bits ? 3 : 7;
    using weights = integers;

    static weights ready(const integers& bytes) {
      return of_4_bits ? bytes : bytes ^ integers(static_cast<std::int32_t>(0x80808080u));
    }
    static integers add(const integers& sum, const weights& w, const integers& numbers) {
      return _mm512_dpbusd_epi32(sum, w, numbers);
    }
  };
};

} // namespace fovea::core::simd
