#pragma once

#include <fovea/backends/simd/sets/of_x86.hpp>
#include <fovea/backends/simd/sets/pair_dot.hpp>

namespace fovea::core::simd {

/// AVX2, FMA and F16C. Plain xsimd::avx2 does not fuse.
struct avx2 : of_x86<avx2, xsimd::fma3<xsimd::avx2>> {
  using narrower = avx2;
  static constexpr size_t registers = 16;
  static constexpr bool fuses = true;

  static floats load_four_times(const float* from) {
    return _mm256_insertf128_ps(_mm256_set1_ps(from[0]), _mm_set1_ps(from[1]), 1);
  }
  static floats load_fours(const float* from, size_t stride) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from)), _mm_loadu_ps(from + stride), 1);
  }

  static integers load_uint8(const unsigned char* from) { return _mm256_cvtepu8_epi32(eight_bytes(from)); }
  static integers load_int8(const unsigned char* from) { return _mm256_cvtepi8_epi32(eight_bytes(from)); }
  static integers load_uint16(const unsigned char* from) {
    return _mm256_cvtepu16_epi32(sixteen_bytes(from));
  }
  static floats load_half(const unsigned char* from) { return _mm256_cvtph_ps(sixteen_bytes(from)); }
  static void store_low_bytes(const integers& x, unsigned char* to) {
    const __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1),
                  byte = _mm_set1_epi32(255);
    const __m128i words = _mm_packus_epi32(_mm_and_si128(low, byte), _mm_and_si128(high, byte));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
  }

  static integers pair_shorts(const integers& low, const integers& high) {
    return _mm256_blend_epi16(low, _mm256_slli_epi32(high, 16), 0xaa);
  }
  static integers dot_shorts(const integers& sum, const integers& x, const integers& y) {
    auto total = sum.data; // in place: compilers add to other registers, for which they have too few
    asm("vpaddd %1, %0, %0" : "+x"(total) : "x"(_mm256_madd_epi16(x, y)));
    return integers(total);
  }
  template <bool of_4_bits>
  using byte_dot = pair_dot<avx2, of_4_bits>;
  static integers multiply_bytes(const integers& w, const integers& x) { return _mm256_maddubs_epi16(w, x); }
  static integers add_shorts(const integers& x, const integers& y) { return _mm256_add_epi16(x, y); }
  static integers sum_shorts(const integers& x) { return _mm256_madd_epi16(x, _mm256_set1_epi16(1)); }
  static integers magnitudes(const integers& x) { return _mm256_abs_epi8(x); }
  static integers with_signs(const integers& x, const integers& of) { return _mm256_sign_epi8(x, of); }

private:
  static __m128i eight_bytes(const unsigned char* from) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  }
  static __m128i sixteen_bytes(const unsigned char* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
};

} // namespace fovea::core::simd
