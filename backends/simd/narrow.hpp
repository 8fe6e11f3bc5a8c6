#pragma once

// Loading vectors of numbers that are narrower than floats, as many as a vector has floats; xsimd 8.1 does it
// one by one.

#include <bit>
#include <cstdint>
#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/base/half.hpp>

namespace fovea::core::simd {

namespace detail {

#ifdef __AVX512F__
template <class Arch>
inline constexpr bool is_512 = std::is_base_of_v<xsimd::avx512f, Arch>;
#else
template <class Arch>
inline constexpr bool is_512 = false;
#endif
#ifdef __AVX2__
template <class Arch>
inline constexpr bool is_256 = std::is_base_of_v<xsimd::avx2, Arch> || width<Arch> == 8;
#else
template <class Arch>
inline constexpr bool is_256 = false;
#endif

inline __m128i load_4_bytes(const unsigned char* from) {
  int four;
  std::memcpy(&four, from, sizeof four);
  return _mm_cvtsi32_si128(four);
}
inline __m128i load_8_bytes(const unsigned char* from) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
}
inline __m128i load_16_bytes(const unsigned char* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

/// Of 16 bits each, without sign.
template <class Arch>
inline int_vec<Arch> load_uint16(const unsigned char* from) {
#ifdef __AVX512F__
  if constexpr (is_512<Arch>)
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#endif
#ifdef __AVX2__
  if constexpr (is_256<Arch>) return _mm256_cvtepu16_epi32(load_16_bytes(from));
#endif
  if constexpr (!is_512<Arch> && !is_256<Arch>)
    return _mm_unpacklo_epi16(load_8_bytes(from), _mm_setzero_si128());
}

} // namespace detail

/// Four bytes in each lane.
template <class Arch>
inline int_vec<Arch> load_bytes(const unsigned char* from) {
#ifdef __AVX512F__
  if constexpr (detail::is_512<Arch>) return _mm512_loadu_si512(from);
#endif
#ifdef __AVX2__
  if constexpr (detail::is_256<Arch>) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
#endif
  if constexpr (!detail::is_512<Arch> && !detail::is_256<Arch>) return detail::load_16_bytes(from);
}

template <class Arch>
inline int_vec<Arch> load_uint8(const unsigned char* from) {
#ifdef __AVX512F__
  if constexpr (detail::is_512<Arch>) return _mm512_cvtepu8_epi32(detail::load_16_bytes(from));
#endif
#ifdef __AVX2__
  if constexpr (detail::is_256<Arch>) return _mm256_cvtepu8_epi32(detail::load_8_bytes(from));
#endif
  if constexpr (!detail::is_512<Arch> && !detail::is_256<Arch>) {
    const __m128i zero = _mm_setzero_si128();
    return _mm_unpacklo_epi16(_mm_unpacklo_epi8(detail::load_4_bytes(from), zero), zero);
  }
}

template <class Arch>
inline int_vec<Arch> load_int8(const unsigned char* from) {
#ifdef __AVX512F__
  if constexpr (detail::is_512<Arch>) return _mm512_cvtepi8_epi32(detail::load_16_bytes(from));
#endif
#ifdef __AVX2__
  if constexpr (detail::is_256<Arch>) return _mm256_cvtepi8_epi32(detail::load_8_bytes(from));
#endif
  if constexpr (!detail::is_512<Arch> && !detail::is_256<Arch>) {
    const __m128i zero = _mm_setzero_si128(); // each byte comes to the top of its lane
    const __m128i two = _mm_unpacklo_epi8(zero, detail::load_4_bytes(from));
    return _mm_srai_epi32(_mm_unpacklo_epi16(zero, two), 24);
  }
}

template <class Arch>
inline vec<Arch> load_bfloat(const unsigned char* from) {
  return from_bits<Arch>(detail::load_uint16<Arch>(from) << 16);
}

/// The lowest byte of each lane, side by side.
template <class Arch>
inline void store_low_bytes(const int_vec<Arch>& x, unsigned char* to) {
#ifdef __AVX512F__
  if constexpr (detail::is_512<Arch>) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(x));
    return;
  }
#endif
#ifdef __AVX2__
  if constexpr (detail::is_256<Arch> && !detail::is_512<Arch>) {
    const __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1),
                  mask = _mm_set1_epi32(255);
    const __m128i words = _mm_packus_epi32(_mm_and_si128(low, mask), _mm_and_si128(high, mask));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
    return;
  }
#endif
  if constexpr (!detail::is_512<Arch> && !detail::is_256<Arch>) {
    alignas(16) std::int32_t lanes[4];
    x.store_aligned(lanes);
    for (size_t i = 0; i < 4; ++i) to[i] = static_cast<unsigned char>(lanes[i]);
  }
}

/// Each value rounded to the nearest bfloat16, of two to the even one, side by side.
template <class Arch>
inline void store_bfloat(const vec<Arch>& x, unsigned char* to) {
#ifdef __AVX512BF16__
  if constexpr (detail::is_512<Arch>) {
    const __m256bh narrow = _mm512_cvtneps_pbh(x);
    std::memcpy(to, &narrow, sizeof narrow);
    return;
  }
#endif
  alignas(64) float lanes[width<Arch>];
  x.store_aligned(lanes);
  std::uint16_t narrow[width<Arch>];
  for (size_t i = 0; i < width<Arch>; ++i) // of NaN the first bits, one of which is set in all that sums make
    narrow[i] = lanes[i] == lanes[i]
                    ? to_bfloat(lanes[i])
                    : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(lanes[i]) >> 16 | 0x40);
  std::memcpy(to, narrow, sizeof narrow);
}

/// Of finite values.
template <class Arch>
inline vec<Arch> load_half(const unsigned char* from) {
#ifdef __AVX512F__
  if constexpr (detail::is_512<Arch>)
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#endif
#if defined(__AVX2__) && defined(__F16C__)
  if constexpr (detail::is_256<Arch>) return _mm256_cvtph_ps(detail::load_16_bytes(from));
#endif
  if constexpr (!detail::is_512<Arch>) { // as from_half of one
    const int_vec<Arch> half = detail::load_uint16<Arch>(from);
    const int_vec<Arch> magnitude =
        bits<Arch>(from_bits<Arch>((half & int_vec<Arch>(0x7fff)) << 13) * vec<Arch>(0x1p112f));
    return from_bits<Arch>(magnitude | (half & int_vec<Arch>(0x8000)) << 16);
  }
}

template <class Arch>
inline vec<Arch> to_float(const int_vec<Arch>& x) {
  return xsimd::to_float(x);
}

/// Of four bits of each lane, from bit `shift` on, with nothing above them where that is 4: the number
/// less 8.
template <class Arch>
inline vec<Arch> nibble_less_8(const int_vec<Arch>& x, int shift) {
#ifdef __AVX512F__
  if constexpr (detail::is_512<Arch>) { // the lookup reads four bits of an index alone
    const __m512 numbers = _mm512_setr_ps(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7);
    return _mm512_permutexvar_ps(shift == 0 ? x : x >> shift, numbers);
  }
#endif
  if constexpr (!detail::is_512<Arch>)
    return to_float<Arch>((shift == 0 ? x & int_vec<Arch>(15) : x >> shift) - int_vec<Arch>(8));
}

} // namespace fovea::core::simd
