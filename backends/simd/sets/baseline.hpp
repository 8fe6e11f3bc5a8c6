#pragma once

#include <fovea/backends/simd/sets/of_x86.hpp>

namespace fovea::core::simd {

/// SSE2, which every x86-64 processor has.
struct baseline : of_x86<baseline, xsimd::sse2> {
  using narrower = baseline;
  static constexpr size_t registers = 16;

  static floats load_four_times(const float* from) { return floats(from[0]); }
  static floats load_fours(const float* from, size_t) { return load(from); }

  static integers load_uint8(const unsigned char* from) {
    const __m128i zero = _mm_setzero_si128();
    return _mm_unpacklo_epi16(_mm_unpacklo_epi8(four_bytes(from), zero), zero);
  }
  static integers load_int8(const unsigned char* from) {
    const __m128i zero = _mm_setzero_si128(); // each byte comes to the top of its lane
    const __m128i two = _mm_unpacklo_epi8(zero, four_bytes(from));
    return _mm_srai_epi32(_mm_unpacklo_epi16(zero, two), 24);
  }
  static integers load_uint16(const unsigned char* from) {
    return _mm_unpacklo_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)), _mm_setzero_si128());
  }
  static void store_low_bytes(const integers& x, unsigned char* to) {
    alignas(16) std::int32_t lanes[4];
    x.store_aligned(lanes);
    for (size_t i = 0; i < 4; ++i) to[i] = static_cast<unsigned char>(lanes[i]);
  }

  template <bool of_4_bits>
  struct byte_dot {
    using sums = integers;
    static constexpr int excess = of_4_bits ? 3 : 0;
    using weights = integers;

    static weights ready(const integers& bytes) { return bytes; }
    static integers add(const integers& sum, const weights& w, const integers& numbers) {
      const __m128i zero = _mm_setzero_si128();
      const auto below_zero = [&](__m128i x) { return _mm_cmpgt_epi8(zero, x); };
      const __m128i above = of_4_bits ? zero : below_zero(w),
                    x = _mm_unpacklo_epi8(numbers, below_zero(numbers));
      const __m128 low = _mm_castsi128_ps(_mm_madd_epi16(_mm_unpacklo_epi8(w, above), x)),
                   high = _mm_castsi128_ps(_mm_madd_epi16(_mm_unpackhi_epi8(w, above), x));
      const __m128i even = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0))),
                    odd = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1)));
      return _mm_add_epi32(_mm_add_epi32(sum, even), odd);
    }
  };

private:
  static __m128i four_bytes(const unsigned char* from) {
    int four;
    std::memcpy(&four, from, sizeof four);
    return _mm_cvtsi32_si128(four);
  }
};

} // namespace fovea::core::simd
