#pragma once

// Depthwise convolution: each feature by filters of its own, features side by side in vectors.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/window.hpp>

namespace fovea::simd::detail {

/// Output places in a task.
inline size_t depthwise_places(const convolution_args& a) {
  constexpr size_t elements = 4096;
  return larger(elements / larger(a.groups, 1), 1);
}
inline size_t depthwise_tasks(const convolution_args& a) {
  return ceil_div(a.planes * a.axis[0].places * a.axis[1].places, depthwise_places(a));
}
template <class Arch>
inline size_t depthwise_scratch(const convolution_args& a) {
  return ceil_div(a.groups, width<Arch>) * width<Arch>;
}

template <class Arch>
inline void depthwise(const convolution_args& a, size_t first, size_t last, float* scratch) {
  const window_axis &y = a.axis[0], &x = a.axis[1];
  const size_t features = a.groups, each = depthwise_places(a);
  const size_t end = smaller(last * each, a.planes * y.places * x.places);
  for (size_t row = first * each; row < end; ++row) {
    const window_place at(a.axis, row);
    const float* plane = a.x + at.plane * y.in * x.in * features;
    for_vectors<Arch>(features, [&](size_t j, auto lanes) {
      vec<Arch> sum = lanes.load(a.bias + j);
      for (size_t ky = 0; ky < y.taps; ++ky) {
        const std::ptrdiff_t line = position(y, at.line, ky);
        if (!inside(y, line)) continue;
        for (size_t kx = 0; kx < x.taps; ++kx) {
          const std::ptrdiff_t p = position(x, at.place, kx);
          if (!inside(x, p)) continue;
          const size_t from = (static_cast<size_t>(line) * x.in + static_cast<size_t>(p)) * features;
          sum = fma<Arch>(lanes.load(plane + from + j),
                          lanes.load(a.weights + (ky * x.taps + kx) * features + j), sum);
        }
      }
      sum.store_aligned(scratch + j);
    });
    activate<Arch>(a.act, scratch, depthwise_scratch<Arch>(a));
    const size_t to = at.plane * a.out_plane + at.line * a.out_line + at.place * a.out_place;
    join_row<Arch>(a.join, scratch, a.other ? a.other + to : nullptr, a.out + to, features);
  }
}

} // namespace fovea::simd::detail
