#pragma once

// Largest values and means of sliding windows of neighbours, features side by side in vectors (see pool_args
// in arguments.hpp).

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/reduce.hpp>
#include <fovea/backends/simd/kernels/window_tiles.hpp>

namespace fovea::core::simd {

namespace detail {

/// How many positions a mean divides by on one axis.
inline size_t counted_taps(const pool_args& a, int axis, size_t place) {
  const window_axis& along = a.axis[axis];
  if (!a.count_padding) return tap_range(along, place).count();
  size_t count = along.taps;
  while (position(along, place, count - 1) >= a.counted[axis]) --count;
  return count;
}

/// Joins what each of `places` neighbouring windows sees, in the order of the taps.
template <class Arch, size_t places, class Join>
inline void pool_windows(const seen_windows& windows, size_t width, float* out, float scale,
                         const Join& join) {
  for_vectors<Arch>(width, [=](size_t j, auto lanes) {
    vec<Arch> total[places];
    for_constants<places>([&](auto i) { total[i] = vec<Arch>(Join::neutral); });
    const float* line = windows.first + j;
    for (size_t ky = 0; ky < windows.lines; ++ky, line += windows.next_line) {
      const float* from = line;
      for (size_t kx = 0; kx < windows.taps; ++kx, from += windows.next_tap)
        for_constants<places>([&](auto i) {
          constexpr std::ptrdiff_t place = decltype(i)::value;
          total[i] = join(total[i], lanes.load(from + place * windows.next_place));
        });
    }
    for_constants<places>([&](auto i) { lanes.store(out + i * width + j, total[i] * vec<Arch>(scale)); });
  });
}

} // namespace detail

template <class Arch>
size_t pool_tasks(const pool_args& a) {
  return detail::window_tiles(a.axis, a.width).count(a.planes);
}

template <class Arch>
void pool(const pool_args& a, size_t first, size_t last) {
  using namespace detail;
  constexpr size_t together = 4;
  const window_tiles tiles(a.axis, a.width);
  for (; first < last; ++first)
    for_neighbours<together>(
        a.axis, tiles, first, [&](const window_place& at, auto places, tap_range lines, tap_range taps) {
          const seen_windows windows(a.x, a.x_plane, a.axis, a.width, at, lines, taps);
          float* out =
              a.out + ((at.plane * a.axis[0].places + at.line) * a.axis[1].places + at.place) * a.width;
          if (!a.mean) return pool_windows<Arch, places>(windows, a.width, out, 1.0f, extreme<Arch, true>{});
          const size_t count = counted_taps(a, 0, at.line) * counted_taps(a, 1, at.place);
          pool_windows<Arch, places>(windows, a.width, out, 1.0f / static_cast<float>(count), added<Arch>{});
        });
}

} // namespace fovea::core::simd
