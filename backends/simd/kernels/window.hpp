#pragma once

// What the windows of a convolution see, as rows of a matrix: pointers into the input, where a window lies in
// pieces evenly apart, else into a copy of what it sees.

#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/window_places.hpp>

namespace fovea::core::simd::detail {

/// Copies of a window are short: without a call, the last vector overlapping the one before it.
template <class Arch>
inline void copy_floats(float* to, const float* from, size_t count) {
  if (count < width<Arch>) {
    for (size_t i = 0; i < count; ++i) to[i] = from[i];
    return;
  }
  for (size_t i = 0; i + width<Arch> < count; i += width<Arch>) Arch::store(to + i, Arch::load(from + i));
  Arch::store(to + count - width<Arch>, Arch::load(from + count - width<Arch>));
}

/// What a window sees of one line, in order, to `to`: the taps of `seen`, and zeros for the others.
template <class Arch>
inline void copy_line(const convolution_args& a, const float* line, size_t place, tap_range seen, float* to) {
  const window_axis& x = a.axis[1];
  const size_t features = a.groups * a.depth;
  const size_t run = in_one_piece(a) ? seen.count() : 1; // taps that lie side by side
  std::memset(to, 0, seen.first * a.depth * sizeof(float));
  for (size_t tap = seen.first; tap < seen.last; tap += run)
    copy_floats<Arch>(to + tap * a.depth, line + static_cast<size_t>(position(x, place, tap)) * features,
                      run * a.depth);
  std::memset(to + seen.last * a.depth, 0, (x.taps - seen.last) * a.depth * sizeof(float));
}

/// Rows of a matrix: where each begins, and what it skips after each piece.
struct window_list {
  const float** starts;
  std::ptrdiff_t* shifts;
};

/// What the windows at `count` places from `row` on see of a group, as rows; those that reach over an edge,
/// or whose pieces are too short, are copied to `copies`.
template <class Arch>
inline void window_rows(const convolution_args& a, size_t row, size_t count, size_t group, window_list rows,
                        float* copies) {
  const window_axis &y = a.axis[0], &x = a.axis[1];
  const size_t features = a.groups * a.depth, line_floats = x.taps * a.depth;
  const bool direct = in_place(a);
  const std::ptrdiff_t between =
      in_one_piece(a) ? y.tap_step * static_cast<std::ptrdiff_t>(x.in) : x.tap_step;
  const std::ptrdiff_t shift =
      between * static_cast<std::ptrdiff_t>(features) - static_cast<std::ptrdiff_t>(piece_of(a));
  window_place at(a.axis, row);
  for (size_t i = 0; i < count; ++i, at.next(a.axis)) {
    const float* plane = a.x + at.plane * a.x_plane + group * a.depth;
    const auto line = [&](std::ptrdiff_t p) { return plane + static_cast<size_t>(p) * x.in * features; };
    if (direct && whole_inside(y, at.line) && whole_inside(x, at.place)) {
      rows.starts[i] =
          line(position(y, at.line, 0)) + static_cast<size_t>(position(x, at.place, 0)) * features;
      rows.shifts[i] = shift;
      continue;
    }
    rows.starts[i] = copies;
    rows.shifts[i] = 0;
    const tap_range seen(x, at.place);
    for (size_t tap = 0; tap < y.taps; ++tap, copies += line_floats) {
      const std::ptrdiff_t p = position(y, at.line, tap);
      if (inside(y, p))
        copy_line<Arch>(a, line(p), at.place, seen, copies);
      else
        std::memset(copies, 0, line_floats * sizeof(float));
    }
  }
}

} // namespace fovea::core::simd::detail
