#pragma once

// The one place that includes xsimd. Debian 12 has xsimd 8.1, later releases renamed and added functions;
// what a kernel needs and 8.1 lacks (fused multiply-add in AVX-512, reductions, partial loads and stores) is
// supplied here.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// The AVX-512 header of g++ 12 warns of its own undefined vectors (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif

namespace fovea::core::simd {

using std::size_t;

using baseline = xsimd::sse2;
#if defined(__AVX2__) && defined(__FMA__)
using avx2 = xsimd::fma3<xsimd::avx2>; // plain xsimd::avx2 does not fuse
#endif
#if defined(__AVX512BW__) && defined(__AVX512DQ__)
using avx512 = xsimd::avx512bw;
#endif

namespace detail {
template <class Arch>
struct narrower_of {
  using type = Arch;
};
#if defined(__AVX512BW__) && defined(__AVX512DQ__)
template <>
struct narrower_of<avx512> {
  using type = avx2;
};
#endif
} // namespace detail

/// A set with half the vector that machines with `Arch` have too; the same where that would lose its fused
/// multiply-add.
template <class Arch>
using narrower = typename detail::narrower_of<Arch>::type;

template <class Arch>
using vec = xsimd::batch<float, Arch>;

/// Floats in a vector.
template <class Arch>
inline constexpr size_t width = vec<Arch>::size;

/// x * y + z, with one rounding where the set has fused multiply-add.
template <class Arch>
inline vec<Arch> fma(const vec<Arch>& x, const vec<Arch>& y, const vec<Arch>& z) {
#ifdef __AVX512F__
  if constexpr (std::is_base_of_v<xsimd::avx512f, Arch>)
    return _mm512_fmadd_ps(x, y, z); // xsimd 8.1 multiplies and adds
  else
#endif
    return xsimd::fma(x, y, z);
}

/// The lanes exchanged with those `distance` away, a power of two.
template <class Arch, size_t distance>
inline vec<Arch> lanes_away(const vec<Arch>& x) {
  const auto native = static_cast<typename vec<Arch>::register_type>(x);
  return [&]<std::size_t... lane>(std::index_sequence<lane...>) {
    return vec<Arch>(__builtin_shufflevector(native, native, static_cast<int>(lane ^ distance)...));
  }
  (std::make_index_sequence<width<Arch>>{});
}

namespace detail {
/// Each lane joined with the one `half` away, then with those half as far, down to one.
template <class Arch, size_t half, class Join>
inline float reduce(const vec<Arch>& x, const Join& join) {
  if constexpr (half == 0)
    return static_cast<typename vec<Arch>::register_type>(x)[0];
  else
    return reduce<Arch, half / 2>(join(x, lanes_away<Arch, half>(x)), join);
}
template <class Arch, class Join>
inline float reduce(const vec<Arch>& x, const Join& join) {
  return reduce<Arch, width<Arch> / 2>(x, join);
}
} // namespace detail

/// The sum of the lanes, in an order fixed by the vector's width.
template <class Arch>
inline float reduce_add(const vec<Arch>& x) {
  return detail::reduce<Arch>(x, [](const vec<Arch>& a, const vec<Arch>& b) { return a + b; });
}

template <class Arch>
inline float reduce_max(const vec<Arch>& x) {
  return detail::reduce<Arch>(x, [](const vec<Arch>& a, const vec<Arch>& b) { return xsimd::max(a, b); });
}

/// As many 32-bit integers as a vector has floats.
template <class Arch>
using int_vec = xsimd::batch<std::int32_t, Arch>;

/// The bit pattern of each float.
template <class Arch>
inline int_vec<Arch> bits(const vec<Arch>& x) {
#if XSIMD_VERSION_MAJOR >= 9
  return xsimd::bitwise_cast<std::int32_t>(x);
#else
  return xsimd::bitwise_cast<int_vec<Arch>>(x);
#endif
}

/// The float of each bit pattern.
template <class Arch>
inline vec<Arch> from_bits(const int_vec<Arch>& x) {
#if XSIMD_VERSION_MAJOR >= 9
  return xsimd::bitwise_cast<float>(x);
#else
  return xsimd::bitwise_cast<vec<Arch>>(x);
#endif
}

/// x, certainly in a register: compilers else load a vector anew for each use, as an operand in memory.
template <class Batch>
[[gnu::always_inline]] inline Batch in_register(const Batch& x) {
#if defined(__x86_64__) || defined(__i386__)
  auto data = x.data;
  asm("" : "+v"(data));
  return Batch(data);
#else
  return x;
#endif
}

template <class Arch>
inline vec<Arch> load(const float* from) {
  return vec<Arch>::load_unaligned(from);
}

template <class Arch>
inline void store(float* to, const vec<Arch>& x) {
  x.store_unaligned(to);
}

/// The first `count` < width floats; the other lanes are `fill`. Touches no memory past them.
template <class Arch>
inline vec<Arch> load_first(const float* from, size_t count, float fill = 0) {
#ifdef __AVX512F__
  if constexpr (std::is_base_of_v<xsimd::avx512f, Arch>)
    return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), static_cast<__mmask16>((1u << count) - 1u), from);
  else
#endif
  {
    alignas(64) float lanes[width<Arch>];
    for (size_t i = 0; i < width<Arch>; ++i) lanes[i] = i < count ? from[i] : fill;
    return vec<Arch>::load_aligned(lanes);
  }
}

/// Stores the first `count` < width lanes and touches no memory past them.
template <class Arch>
inline void store_first(float* to, const vec<Arch>& x, size_t count) {
#ifdef __AVX512F__
  if constexpr (std::is_base_of_v<xsimd::avx512f, Arch>)
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1u), x);
  else
#endif
  {
    alignas(64) float lanes[width<Arch>];
    x.store_aligned(lanes);
    for (size_t i = 0; i < count; ++i) to[i] = lanes[i];
  }
}

/// The first width / 4 floats, each four times, side by side.
template <class Arch>
inline vec<Arch> load_four_times(const float* from) {
#ifdef __AVX512F__
  if constexpr (std::is_base_of_v<xsimd::avx512f, Arch>)
    return _mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3),
                                 _mm512_castps128_ps512(_mm_loadu_ps(from)));
#endif
#if defined(__AVX2__) && defined(__FMA__)
  if constexpr (std::is_same_v<Arch, avx2>)
    return _mm256_insertf128_ps(_mm256_set1_ps(from[0]), _mm_set1_ps(from[1]), 1);
#endif
  if constexpr (std::is_same_v<Arch, baseline>) return vec<Arch>(from[0]);
}

/// Four floats at each of width / 4 places that lie `stride` floats apart, side by side.
template <class Arch>
inline vec<Arch> load_fours(const float* from, [[maybe_unused]] size_t stride) {
#ifdef __AVX512F__
  if constexpr (std::is_base_of_v<xsimd::avx512f, Arch>) {
    const auto two = [&](const float* at) {
      return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at)), _mm_loadu_ps(at + stride), 1);
    };
    return _mm512_insertf32x8(_mm512_castps256_ps512(two(from)), two(from + 2 * stride), 1);
  }
#endif
#if defined(__AVX2__) && defined(__FMA__)
  if constexpr (std::is_same_v<Arch, avx2>)
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from)), _mm_loadu_ps(from + stride), 1);
#endif
  if constexpr (std::is_same_v<Arch, baseline>) return load<Arch>(from);
}

/// A mask over floats as one over integers of the same lanes, and back (xsimd 8.1 has no cast of masks).
template <class Arch>
inline xsimd::batch_bool<std::int32_t, Arch> integer_mask(const xsimd::batch_bool<float, Arch>& m) {
#ifdef __AVX512F__
  if constexpr (std::is_base_of_v<xsimd::avx512f, Arch>) return m.data;
#endif
#if defined(__AVX2__) && defined(__FMA__)
  if constexpr (std::is_same_v<Arch, avx2>) return _mm256_castps_si256(m);
#endif
  if constexpr (std::is_same_v<Arch, baseline>) return _mm_castps_si128(m);
}
template <class Arch>
inline xsimd::batch_bool<float, Arch> float_mask(const xsimd::batch_bool<std::int32_t, Arch>& m) {
#ifdef __AVX512F__
  if constexpr (std::is_base_of_v<xsimd::avx512f, Arch>) return m.data;
#endif
#if defined(__AVX2__) && defined(__FMA__)
  if constexpr (std::is_same_v<Arch, avx2>) return _mm256_castsi256_ps(m);
#endif
  if constexpr (std::is_same_v<Arch, baseline>) return _mm_castsi128_ps(m);
}

} // namespace fovea::core::simd
