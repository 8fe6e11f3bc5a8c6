#pragma once

// Walking a row by vectors, the rest of the row included: the one place where kernels over rows handle their
// tails.

#include <fovea/backends/simd/arch.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace fovea::core::simd::detail {

/// f(0) ... f(count - 1), each index a constant. Compilers keep an array of vectors in registers where all
/// its indices are constants from the start; loops that they unroll later leave copies of it in memory (g++
/// 12).
template <size_t count, class F>
[[gnu::always_inline]] inline void for_constants(const F& f) {
  [&]<size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
    (f(std::integral_constant<size_t, i>{}), ...);
  }
  (std::make_index_sequence<count>{});
}

template <class Arch>
struct all_lanes {
  vec<Arch> load(const float* from) const { return Arch::load(from); }
  void store(float* to, const vec<Arch>& x) const { Arch::store(to, x); }
  /// x with `fill` in the lanes that do not exist.
  vec<Arch> filled(const vec<Arch>& x, float) const { return x; }
};

template <class Arch>
struct first_lanes {
  size_t count;
  vec<Arch> load(const float* from) const { return Arch::load_first(from, count); }
  void store(float* to, const vec<Arch>& x) const { Arch::store_first(to, x, count); }
  vec<Arch> filled(const vec<Arch>& x, float fill) const {
    alignas(64) float lanes[width<Arch>];
    Arch::store(lanes, x);
    for (size_t i = count; i < width<Arch>; ++i) lanes[i] = fill;
    return vec<Arch>::load_aligned(lanes);
  }
};

/// Calls f(index, lanes) for each vector of `count` floats; `lanes` loads and stores those of them that
/// exist.
template <class Arch, class F>
inline void for_vectors(size_t count, const F& f) {
  size_t i = 0;
  for (; i + width<Arch> <= count; i += width<Arch>) f(i, all_lanes<Arch>{});
  if (i < count) f(i, first_lanes<Arch>{count - i});
}

/// Joins f(vector) over the `count` floats at x, lanes that do not exist counting as `neutral`: a fixed order
/// for each count and width. Four accumulators, which also keeps long sums accurate.
template <class Arch, class F, class Join>
inline vec<Arch> join_over(const float* x, size_t count, float neutral, const F& f, const Join& join) {
  using v = vec<Arch>;
  constexpr size_t lanes = width<Arch>;
  v total[4] = {v(neutral), v(neutral), v(neutral), v(neutral)};
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes)
    for (size_t k = 0; k < 4; ++k) total[k] = join(total[k], f(Arch::load(x + i + k * lanes)));
  for_vectors<Arch>(count - i, [&](size_t j, auto here) {
    const size_t k = j / lanes % 4;
    total[k] = join(total[k], here.filled(f(here.load(x + i + j)), neutral));
  });
  return join(join(total[0], total[1]), join(total[2], total[3]));
}

template <class Arch, class F>
inline float sum_over(const float* x, size_t count, const F& f) {
  return reduce_add<Arch>(
      join_over<Arch>(x, count, 0.0f, f, [](const vec<Arch>& a, const vec<Arch>& b) { return a + b; }));
}

} // namespace fovea::core::simd::detail
