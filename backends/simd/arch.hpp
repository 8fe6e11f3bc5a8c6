#pragma once

// The instruction set that a file is compiled for, and what all sets have in common. No other place asks the
// compiler what it may use.

#include <cstddef>
#include <fovea/backends/simd/sets/portable.hpp>
#include <utility>

// `native` is the best set that a file may use. The headers of better ones would not compile in it.
#if defined(FOVEA_PORTABLE)
namespace fovea::core::simd {
using native = portable;
}
#elif defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__FMA__) && defined(__F16C__)
#include <fovea/backends/simd/sets/avx512.hpp>
namespace fovea::core::simd {
using native = avx512;
}
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include <fovea/backends/simd/sets/avx2.hpp>
namespace fovea::core::simd {
using native = avx2;
}
#elif defined(__SSE4_1__)
#include <fovea/backends/simd/sets/sse41.hpp>
namespace fovea::core::simd {
using native = sse41;
}
#elif defined(__SSE2__)
#include <fovea/backends/simd/sets/baseline.hpp>
namespace fovea::core::simd {
using native = baseline;
}
#elif defined(__aarch64__)
#include <fovea/backends/simd/sets/neon64.hpp>
namespace fovea::core::simd {
using native = neon64;
}
#elif defined(__wasm_simd128__)
#include <fovea/backends/simd/sets/simd128.hpp>
namespace fovea::core::simd {
using native = simd128;
}
#else
namespace fovea::core::simd {
using native = portable;
}
#endif

namespace fovea::core::simd {

template <class Arch>
using vec = typename Arch::floats;

/// As many 32-bit integers as a vector has floats.
template <class Arch>
using int_vec = typename Arch::integers;

/// What comparisons of floats give.
template <class Arch>
using mask_of = typename Arch::mask;

/// Floats in a vector.
template <class Arch>
inline constexpr size_t width = vec<Arch>::size;

/// A set with half the vector that machines with `Arch` have too, or the same.
template <class Arch>
using narrower = typename Arch::narrower;

/// The lanes exchanged with those `distance` away, a power of two.
template <class Arch, size_t distance>
inline vec<Arch> lanes_away(const vec<Arch>& x) {
  const auto all = static_cast<typename vec<Arch>::register_type>(x);
  return [&]<std::size_t... lane>(std::index_sequence<lane...>) {
    return vec<Arch>(__builtin_shufflevector(all, all, static_cast<int>(lane ^ distance)...));
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
  return detail::reduce<Arch>(x, [](const vec<Arch>& a, const vec<Arch>& b) { return Arch::max(a, b); });
}

} // namespace fovea::core::simd
