#pragma once

// Depthwise convolution: each feature by filters of its own, features side by side in vectors, and up to four
// places at a time so that a filter is read once for them.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/window.hpp>

namespace fovea::simd::detail {

inline constexpr size_t depthwise_block = 4;

/// Output places in a task.
inline size_t depthwise_places(const convolution_args& a) {
  constexpr size_t elements = 4096;
  return larger(elements / larger(a.groups, 1), depthwise_block);
}
inline size_t depthwise_tasks(const convolution_args& a) {
  return ceil_div(a.planes * a.axis[0].places * a.axis[1].places, depthwise_places(a));
}
/// Floats between the sums of one place and the next.
template <class Arch>
inline size_t depthwise_row(const convolution_args& a) {
  return ceil_div(a.groups, width<Arch>) * width<Arch>;
}
template <class Arch>
inline size_t depthwise_scratch(const convolution_args& a) {
  return depthwise_block * depthwise_row<Arch>(a);
}

/// The sums of `count` neighbouring places that see the same taps of their windows.
template <class Arch, size_t count>
inline void depthwise_sums(const convolution_args& a, const window_place& at, tap_range lines, tap_range taps,
                           float* sums) {
  const window_axis &y = a.axis[0], &x = a.axis[1];
  const size_t features = a.groups;
  const float* plane = a.x + at.plane * a.x_plane;
  const auto floats = [&](std::ptrdiff_t positions) {
    return positions * static_cast<std::ptrdiff_t>(features);
  };
  for_vectors<Arch>(features, [&](size_t j, auto lanes) {
    vec<Arch> sum[count];
    for_constants<count>([&](auto i) { sum[i] = lanes.load(a.bias + j); });
    for (size_t ky = lines.first; ky < lines.last; ++ky) {
      const std::ptrdiff_t line = position(y, at.line, ky) * static_cast<std::ptrdiff_t>(x.in);
      const float* from = plane + floats(line + position(x, at.place, taps.first)) + j;
      const float* filter = a.weights + (ky * x.taps + taps.first) * features + j;
      for (size_t kx = 0; kx < taps.count(); ++kx) {
        const vec<Arch> w = lanes.load(filter);
        for_constants<count>([&](auto i) {
          const auto place = static_cast<std::ptrdiff_t>(decltype(i)::value);
          sum[i] = fma<Arch>(lanes.load(from + floats(place * x.step)), w, sum[i]);
        });
        from += floats(x.tap_step), filter += features;
      }
    }
    for_constants<count>([&](auto i) { sum[i].store_aligned(sums + i * depthwise_row<Arch>(a) + j); });
  });
}

template <class Arch>
inline void depthwise(const convolution_args& a, size_t first, size_t last, float* scratch) {
  const window_axis &y = a.axis[0], &x = a.axis[1];
  const size_t each = depthwise_places(a), row = depthwise_row<Arch>(a);
  const size_t end = smaller(last * each, a.planes * y.places * x.places);
  for (size_t next = first * each; next < end;) {
    const window_place at(a.axis, next);
    const tap_range lines(y, at.line), taps(x, at.place);
    // Places between two that see whole windows see whole windows.
    const bool together = at.place + depthwise_block <= x.places && next + depthwise_block <= end &&
                          taps.count() == x.taps &&
                          tap_range(x, at.place + depthwise_block - 1).count() == x.taps;
    if (together)
      depthwise_sums<Arch, depthwise_block>(a, at, lines, taps, scratch);
    else
      depthwise_sums<Arch, 1>(a, at, lines, taps, scratch);
    const size_t count = together ? depthwise_block : 1;
    activate<Arch>(a.act, scratch, count * row);
    for (size_t i = 0; i < count; ++i) {
      const size_t to = at.plane * a.out_plane + at.line * a.out_line + (at.place + i) * a.out_place;
      join_row<Arch>(a.join, scratch + i * row, a.other ? a.other + to : nullptr, a.out + to, a.groups);
    }
    next += count;
  }
}

} // namespace fovea::simd::detail
