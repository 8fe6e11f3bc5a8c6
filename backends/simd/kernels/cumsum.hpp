#pragma once

// The sums of all beginnings of the middle axis of [outer, count, inner] (see reduce_args in arguments.hpp).

#include <fovea/backends/simd/kernels/reduce.hpp>
#include <fovea/backends/simd/kernels/sizes.hpp>

#include <cstddef>
#include <utility>

namespace fovea::core::simd {

namespace detail {

/// Each lane with the sum of those up to it that lie less than `width` before.
template <class Arch, size_t distance = 1>
inline vec<Arch> sums_of_lanes(const vec<Arch>& x) {
  if constexpr (distance == width<Arch>) {
    return x;
  } else {
    using lanes = typename vec<Arch>::register_type;
    const vec<Arch> before = [&]<size_t... lane>(std::index_sequence<lane...>) {
      return vec<Arch>(
          __builtin_shufflevector(static_cast<lanes>(x), static_cast<lanes>(vec<Arch>(0.0f)),
                                  static_cast<int>(lane < distance ? width<Arch> : lane - distance)...));
    }
    (std::make_index_sequence<width<Arch>>{});
    return sums_of_lanes<Arch, 2 * distance>(x + before);
  }
}

/// The sums of all beginnings of a row. They are added up block by block, so that the error of a long one
/// grows with the number of blocks.
template <class Arch>
inline void running_sums_of_row(const float* x, size_t count, float* out) {
  constexpr size_t block = 64 * width<Arch>;
  float before = 0;
  for (size_t i = 0; i < count; i += block) {
    float total = 0;
    for_vectors<Arch>(count - i < block ? count - i : block, [&](size_t j, auto lanes) {
      const vec<Arch> sums = sums_of_lanes<Arch>(lanes.load(x + i + j)) + vec<Arch>(total);
      lanes.store(out + i + j, sums + vec<Arch>(before));
      total = static_cast<typename vec<Arch>::register_type>(sums)[width<Arch> - 1];
    });
    before += total;
  }
}

/// Adds `rows` rows of `columns` columns to `total`, the sums so far beside those `before` of earlier blocks.
template <class Arch, size_t rows>
inline void add_running(const float* x, size_t inner, size_t columns, const float* before, float* total,
                        float* out) {
  for_vectors<Arch>(columns, [&](size_t j, auto lanes) {
    vec<Arch> sums = lanes.load(total + j);
    for_constants<rows>([&](auto r) {
      sums = sums + lanes.load(x + r * inner + j);
      lanes.store(out + r * inner + j, lanes.load(before + j) + sums);
    });
    lanes.store(total + j, sums);
  });
}

/// The sums of `columns` columns of [count, inner], from x on. Memory is read along its rows, some at a time so
/// that sums stay in registers.
template <class Arch>
inline void running_sums_of_columns(const float* x, size_t count, size_t inner, size_t columns, float* out) {
  constexpr size_t block = 64, together = 4, strip = 256;
  for (size_t from = 0; from < columns; from += strip) {
    const size_t here = smaller(columns - from, strip);
    alignas(64) float before[strip], total[strip];
    for (size_t row = 0; row < count;) {
      for (size_t j = 0; row % block == 0 && j < here; ++j) {
        before[j] = row == 0 ? 0.0f : before[j] + total[j];
        total[j] = 0;
      }
      const size_t at = row * inner + from;
      const bool several = row + together <= count;
      (several ? add_running<Arch, together> : add_running<Arch, 1>)(x + at, inner, here, before, total,
                                                                     out + at);
      row += several ? together : 1;
    }
  }
}

} // namespace detail

template <class Arch>
inline void cumsum(const reduce_args& a, size_t first, size_t last) {
  detail::for_slices(a, first, last, [&](size_t i, size_t column, size_t end) {
    const float* x = a.x + i * a.count * a.inner + column;
    float* out = a.out + (x - a.x);
    if (a.inner == 1)
      detail::running_sums_of_row<Arch>(x, a.count, out);
    else
      detail::running_sums_of_columns<Arch>(x, a.count, a.inner, end - column, out);
  });
}

} // namespace fovea::core::simd
