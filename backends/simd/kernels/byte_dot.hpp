#pragma once

// Dot products of four bytes in each 32-bit lane: lane j has four weights of column j, one after another, and
// meets the same four numbers of a row.

#include <cstdint>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/narrow.hpp>
#include <fovea/weights/weight_format.hpp>

namespace fovea::core::simd::detail {

/// Of weights of -128 to 127, or of 0 to 15 that stand for 8 less.
///   sums     a vector of them
///   weights  as `ready` makes them of what a panel holds
///   add      sum + the dot products by numbers of -127 to 127
///   excess   the logarithm of how much more each weight counts there than it stands for; 0: none
template <class Arch, bool of_4_bits>
struct byte_dot {
  using sums = int_vec<Arch>;
  static constexpr int excess = of_4_bits ? 3 : 0;
  struct weights {
    int_vec<Arch> bytes, magnitude;
  };

  static weights ready(const int_vec<Arch>& bytes) {
    if constexpr (!of_4_bits) {
#ifdef __AVX512BW__
      if constexpr (is_512<Arch>) return {bytes, _mm512_abs_epi8(bytes)};
#endif
#ifdef __AVX2__
      if constexpr (is_256<Arch> && !is_512<Arch>) return {bytes, _mm256_abs_epi8(bytes)};
#endif
    }
    return {bytes, bytes};
  }

  static int_vec<Arch> add(const int_vec<Arch>& sum, const weights& w, const int_vec<Arch>& numbers) {
    // Pairs of products fit 16 bits, for numbers are at most 127 in magnitude, and magnitudes of weights 128.
#ifdef __AVX512BW__
    if constexpr (is_512<Arch>) {
      __m512i x = numbers;
      if constexpr (!of_4_bits)
        x = _mm512_mask_sub_epi8(x, _mm512_movepi8_mask(w.bytes), _mm512_setzero_si512(), x);
      const __m512i pairs = _mm512_maddubs_epi16(w.magnitude, x);
      return _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
    }
#endif
#ifdef __AVX2__
    if constexpr (is_256<Arch> && !is_512<Arch>) {
      __m256i x = numbers;
      if constexpr (!of_4_bits) x = _mm256_sign_epi8(x, w.bytes);
      const __m256i pairs = _mm256_maddubs_epi16(w.magnitude, x);
      return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    }
#endif
    if constexpr (!is_512<Arch> && !is_256<Arch>) {
      const __m128i zero = _mm_setzero_si128();
      const auto below_zero = [&](__m128i x) { return _mm_cmpgt_epi8(zero, x); };
      const __m128i above = of_4_bits ? zero : below_zero(w.bytes),
                    x = _mm_unpacklo_epi8(numbers, below_zero(numbers));
      const __m128 low = _mm_castsi128_ps(_mm_madd_epi16(_mm_unpacklo_epi8(w.bytes, above), x)),
                   high = _mm_castsi128_ps(_mm_madd_epi16(_mm_unpackhi_epi8(w.bytes, above), x));
      const __m128i even = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0))),
                    odd = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1)));
      return _mm_add_epi32(_mm_add_epi32(sum, even), odd);
    }
  }
};

template <class Arch>
struct byte_dots {
  static constexpr bool takes(weight_format format) { return sums_integers(format); }
  template <class layout>
  using of = byte_dot<Arch, layout::of_4_bits>;
};

#ifdef __AVX512VNNI__
/// The same by the instruction that is made for it, whose weights have no sign.
template <bool of_4_bits>
struct vnni_dot {
  using sums = int_vec<avx512>;
  static constexpr int excess = of_4_bits ? 3 : 7;
  using weights = int_vec<avx512>;

  static weights ready(const int_vec<avx512>& bytes) {
    return of_4_bits ? bytes : bytes ^ int_vec<avx512>(static_cast<std::int32_t>(0x80808080u));
  }
  static int_vec<avx512> add(const int_vec<avx512>& sum, const weights& w, const int_vec<avx512>& numbers) {
    return _mm512_dpbusd_epi32(sum, w, numbers);
  }
};

struct vnni_dots {
  static constexpr bool takes(weight_format format) { return sums_integers(format); }
  template <class layout>
  using of = vnni_dot<layout::of_4_bits>;
};
#endif

} // namespace fovea::core::simd::detail
