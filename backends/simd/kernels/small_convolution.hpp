#pragma once

// A convolution over time by weights that the first-level cache holds, of windows that all lie inside: rows of
// a product where they lie, in as many pieces as there are taps.

#include <fovea/backends/simd/kernels/small_product.hpp>

namespace fovea::core::simd {

namespace detail {

inline size_t small_groups(const convolution_args& a) { return ceil_div(a.axis[1].places, small_task_rows); }

} // namespace detail

/// Tasks are groups of places of a plane.
template <class Arch>
size_t small_convolution_tasks(const convolution_args& a) {
  return a.planes * detail::small_groups(a);
}

template <class Arch>
size_t small_convolution_scratch(const convolution_args&) {
  return 0;
}

template <class Arch>
void small_convolution(const convolution_args& a, size_t first, size_t last, float*) {
  using namespace detail;
  const window_axis& time = a.axis[1];
  const size_t groups = small_groups(a), step = static_cast<size_t>(time.step) * a.depth;
  for (size_t count; first < last; first += count) {
    const size_t plane = first / groups, group = first % groups, place = group * small_task_rows;
    count = smaller(groups - group, last - first);
    const size_t out = plane * a.out_plane;
    const product_part part{.panels = a.weights,
                            .columns = a.columns,
                            .bias = a.bias,
                            .out = a.out + out,
                            .out_stride = a.out_place,
                            .other = a.other ? a.other + out : nullptr,
                            .other_stride = a.out_place,
                            .act = a.act,
                            .join = a.join};
    const float* const x = a.x + plane * a.x_plane;
    multiply_small_part<Arch, true>(
        {time.taps, a.depth, time.tap_step * static_cast<std::ptrdiff_t>(a.depth)}, part, place,
        smaller(count * small_task_rows, time.places - place), [&](size_t r) { return x + r * step; });
  }
}

} // namespace fovea::core::simd
