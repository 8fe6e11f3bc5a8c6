#pragma once

// Largest values and means of sliding windows of neighbours, features side by side in vectors (see pool_args
// in table.hpp).

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/reduce.hpp>
#include <fovea/backends/simd/kernels/window.hpp>

namespace fovea::simd {

namespace detail {

/// Output places in a task.
inline size_t pool_places(const pool_args& a) {
  constexpr size_t elements = 4096;
  return larger(elements / larger(a.width, 1), 1);
}

/// How many positions a mean divides by on one axis.
inline size_t counted_taps(const pool_args& a, int axis, size_t place) {
  const window_axis& along = a.axis[axis];
  if (!a.count_padding) return tap_range(along, place).count();
  size_t count = along.taps;
  while (position(along, place, count - 1) >= a.counted[axis]) --count;
  return count;
}

/// Joins what the window at a place sees.
template <class Arch, class Join>
inline void pool_place(const pool_args& a, const window_place& at, float* out, float scale,
                       const Join& join) {
  const window_axis &y = a.axis[0], &x = a.axis[1];
  const tap_range lines(y, at.line), taps(x, at.place);
  const float* plane = a.x + at.plane * a.x_plane;
  for_vectors<Arch>(a.width, [&](size_t j, auto lanes) {
    vec<Arch> total(Join::neutral);
    for (size_t ky = lines.first; ky < lines.last; ++ky) {
      const std::ptrdiff_t first =
          position(y, at.line, ky) * static_cast<std::ptrdiff_t>(x.in) + position(x, at.place, taps.first);
      const float* from = plane + static_cast<size_t>(first) * a.width + j;
      for (size_t kx = 0; kx < taps.count(); ++kx, from += a.width) total = join(total, lanes.load(from));
    }
    lanes.store(out + j, total * vec<Arch>(scale));
  });
}

} // namespace detail

template <class Arch>
size_t pool_tasks(const pool_args& a) {
  return detail::ceil_div(a.planes * a.axis[0].places * a.axis[1].places, detail::pool_places(a));
}

template <class Arch>
void pool(const pool_args& a, size_t first, size_t last) {
  using namespace detail;
  const size_t each = pool_places(a);
  const size_t end = smaller(last * each, a.planes * a.axis[0].places * a.axis[1].places);
  for (size_t row = first * each; row < end; ++row) {
    const window_place at(a.axis, row);
    float* out = a.out + row * a.width;
    if (a.mean) {
      const size_t count = counted_taps(a, 0, at.line) * counted_taps(a, 1, at.place);
      pool_place<Arch>(a, at, out, 1.0f / static_cast<float>(count), added<Arch>{});
    } else {
      pool_place<Arch>(a, at, out, 1.0f, extreme<Arch, true>{});
    }
  }
}

} // namespace fovea::simd
