#pragma once

#include <fovea/backends/simd/sets/avx2.hpp>

namespace fovea::core::simd {

/// Half the vectors of avx512, with its masks and registers.
struct avx512_half : avx2 {
  using narrower = avx512_half;
  static constexpr size_t registers = 32;

  static floats load_first(const float* from, size_t count, float fill = 0) {
    return _mm256_mask_loadu_ps(_mm256_set1_ps(fill), static_cast<__mmask8>((1u << count) - 1u), from);
  }
  static void store_first(float* to, const floats& x, size_t count) {
    _mm256_mask_storeu_ps(to, static_cast<__mmask8>((1u << count) - 1u), x);
  }
};

/// AVX-512 F, CD, BW, DQ and VL.
struct avx512 : of_x86<avx512, xsimd::avx512bw> {
  using narrower = avx512_half;
  static constexpr size_t registers = 32;
  static constexpr bool fuses = true;

  static floats fma(const floats& x, const floats& y, const floats& z) {
    return _mm512_fmadd_ps(x, y, z); // xsimd 8.1 multiplies and adds
  }

  static floats load_first(const float* from, size_t count, float fill = 0) {
    return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), static_cast<__mmask16>((1u << count) - 1u), from);
  }
  static void store_first(float* to, const floats& x, size_t count) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1u), x);
  }
  static floats load_four_times(const float* from) {
    return _mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3),
                                 _mm512_castps128_ps512(_mm_loadu_ps(from)));
  }
  static floats load_fours(const float* from, size_t stride) {
    const auto two = [&](const float* at) { return avx2::load_fours(at, stride); };
    return _mm512_insertf32x8(_mm512_castps256_ps512(two(from)), two(from + 2 * stride), 1);
  }

  static integers load_uint8(const unsigned char* from) { return _mm512_cvtepu8_epi32(sixteen_bytes(from)); }
  static integers load_int8(const unsigned char* from) { return _mm512_cvtepi8_epi32(sixteen_bytes(from)); }
  static integers load_uint16(const unsigned char* from) {
    return _mm512_cvtepu16_epi32(thirty_two_bytes(from));
  }
  static floats load_half(const unsigned char* from) { return _mm512_cvtph_ps(thirty_two_bytes(from)); }
  static void store_low_bytes(const integers& x, unsigned char* to) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(x));
  }
  static floats nibble_less_8(const integers& x, int shift) { // the lookup reads four bits of an index alone
    const __m512 numbers = _mm512_setr_ps(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7);
    return _mm512_permutexvar_ps(shift == 0 ? x : x >> shift, numbers);
  }

  template <bool of_4_bits>
  using byte_dot = pair_dot<avx512, of_4_bits>;
  static integers multiply_bytes(const integers& w, const integers& x) { return _mm512_maddubs_epi16(w, x); }
  static integers add_shorts(const integers& x, const integers& y) { return _mm512_add_epi16(x, y); }
  static integers sum_shorts(const integers& x) { return _mm512_madd_epi16(x, _mm512_set1_epi16(1)); }
  static integers magnitudes(const integers& x) { return _mm512_abs_epi8(x); }
  static integers with_signs(const integers& x, const integers& of) {
    return _mm512_mask_sub_epi8(x, _mm512_movepi8_mask(of), _mm512_setzero_si512(), x);
  }

private:
  static __m128i sixteen_bytes(const unsigned char* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static __m256i thirty_two_bytes(const unsigned char* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
};

} // namespace fovea::core::simd
