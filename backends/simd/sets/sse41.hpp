#pragma once

#include <fovea/backends/simd/sets/of_x86.hpp>
#include <fovea/backends/simd/sets/pair_dot.hpp>

namespace fovea::core::simd {

/// SSE4.1, and what came before it: processors since 2008.
struct sse41 : of_x86<sse41, xsimd::sse4_1> {
  using narrower = sse41;
  static constexpr size_t registers = 16;

  static floats load_four_times(const float* from) { return floats(from[0]); }
  static floats load_fours(const float* from, size_t) { return load(from); }

  static integers load_uint8(const unsigned char* from) { return _mm_cvtepu8_epi32(four_bytes(from)); }
  static integers load_int8(const unsigned char* from) { return _mm_cvtepi8_epi32(four_bytes(from)); }
  static integers load_uint16(const unsigned char* from) {
    return _mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
  }
  static void store_low_bytes(const integers& x, unsigned char* to) {
    const __m128i first = _mm_shuffle_epi8(x, _mm_set1_epi32(0x0c080400));
    const int four = _mm_cvtsi128_si32(first);
    std::memcpy(to, &four, sizeof four);
  }

  static integers pair_shorts(const integers& low, const integers& high) {
    return _mm_blend_epi16(low, _mm_slli_epi32(high, 16), 0xaa);
  }
  static integers dot_shorts(const integers& sum, const integers& x, const integers& y) {
    auto total = sum.data; // in place, as in avx2.hpp
    asm("paddd %1, %0" : "+x"(total) : "x"(_mm_madd_epi16(x, y)));
    return integers(total);
  }
  template <bool of_4_bits>
  using byte_dot = pair_dot<sse41, of_4_bits>;
  static integers multiply_bytes(const integers& w, const integers& x) { return _mm_maddubs_epi16(w, x); }
  static integers add_shorts(const integers& x, const integers& y) { return _mm_add_epi16(x, y); }
  static integers sum_shorts(const integers& x) { return _mm_madd_epi16(x, _mm_set1_epi16(1)); }
  static integers magnitudes(const integers& x) { return _mm_abs_epi8(x); }
  static integers with_signs(const integers& x, const integers& of) { return _mm_sign_epi8(x, of); }

private:
  static __m128i four_bytes(const unsigned char* from) {
    int four;
    std::memcpy(&four, from, sizeof four);
    return _mm_cvtsi32_si128(four);
  }
};

} // namespace fovea::core::simd
