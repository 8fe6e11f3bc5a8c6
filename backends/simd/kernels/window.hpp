#pragma once

// What the windows of a convolution see, as rows of a matrix: pointers into the input where a window lies
// there in one piece, else into a copy of what it sees.

#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/table.hpp>

namespace fovea::simd::detail {

/// A place of the output, counted through planes, lines and places.
struct window_place {
  size_t plane, line, place;
  window_place(const window_axis (&axis)[2], size_t row)
      : plane(row / axis[1].places / axis[0].places), line(row / axis[1].places % axis[0].places),
        place(row % axis[1].places) {}
};

inline std::ptrdiff_t position(const window_axis& axis, size_t place, size_t tap) {
  return static_cast<std::ptrdiff_t>(place) * axis.step + axis.first +
         static_cast<std::ptrdiff_t>(tap) * axis.tap_step;
}
inline bool inside(const window_axis& axis, std::ptrdiff_t position) {
  return position >= 0 && position < static_cast<std::ptrdiff_t>(axis.in);
}

/// The taps first <= k < last of a window that lie inside, which are neighbours since positions are monotone.
struct tap_range {
  size_t first = 0, last;
  tap_range(const window_axis& axis, size_t place) : last(axis.taps) {
    while (first < last && !inside(axis, position(axis, place, first))) ++first;
    while (first < last && !inside(axis, position(axis, place, last - 1))) --last;
  }
  size_t count() const { return last - first; }
};

inline size_t taps_of(const convolution_args& a) { return a.axis[0].taps * a.axis[1].taps; }

/// Whether the taps of a line lie next to each other in memory.
inline bool in_one_piece(const convolution_args& a) {
  return a.axis[1].taps == 1 || (a.axis[1].tap_step == 1 && a.groups == 1);
}
inline bool whole_line_inside(const window_axis& axis, std::ptrdiff_t first) {
  return inside(axis, first) && inside(axis, first + static_cast<std::ptrdiff_t>(axis.taps) - 1);
}

/// Copies of a window are short: without a call, the last vector overlapping the one before it.
template <class Arch>
inline void copy_floats(float* to, const float* from, size_t count) {
  if (count < width<Arch>) {
    for (size_t i = 0; i < count; ++i) to[i] = from[i];
    return;
  }
  for (size_t i = 0; i + width<Arch> < count; i += width<Arch>) store<Arch>(to + i, load<Arch>(from + i));
  store<Arch>(to + count - width<Arch>, load<Arch>(from + count - width<Arch>));
}

/// What a window sees of one line, in order, to `to`; zeros where it sees nothing.
template <class Arch>
inline void copy_line(const convolution_args& a, const float* line, size_t place, float* to) {
  const window_axis& x = a.axis[1];
  const size_t features = a.groups * a.depth;
  if (in_one_piece(a) && whole_line_inside(x, position(x, place, 0))) {
    copy_floats<Arch>(to, line + static_cast<size_t>(position(x, place, 0)) * features, x.taps * a.depth);
    return;
  }
  for (size_t tap = 0; tap < x.taps; ++tap, to += a.depth) {
    const std::ptrdiff_t at = position(x, place, tap);
    if (inside(x, at))
      copy_floats<Arch>(to, line + static_cast<size_t>(at) * features, a.depth);
    else
      std::memset(to, 0, a.depth * sizeof(float));
  }
}

/// The rows that the windows at `count` places from `row` on see of a group: starts[i], with room for those
/// that must be copied in `copies`.
template <class Arch>
inline void window_rows(const convolution_args& a, size_t row, size_t count, size_t group,
                        const float** starts, float* copies) {
  const window_axis &y = a.axis[0], &x = a.axis[1];
  const size_t features = a.groups * a.depth, line_floats = x.taps * a.depth;
  for (size_t i = 0; i < count; ++i) {
    const window_place at(a.axis, row + i);
    const float* plane = a.x + at.plane * y.in * x.in * features + group * a.depth;
    const auto line = [&](std::ptrdiff_t p) { return plane + static_cast<size_t>(p) * x.in * features; };
    const std::ptrdiff_t first = position(x, at.place, 0), first_line = position(y, at.line, 0);
    if (y.taps == 1 && inside(y, first_line) && in_one_piece(a) && whole_line_inside(x, first)) {
      starts[i] = line(first_line) + static_cast<size_t>(first) * features;
      continue;
    }
    starts[i] = copies;
    for (size_t tap = 0; tap < y.taps; ++tap, copies += line_floats) {
      const std::ptrdiff_t p = position(y, at.line, tap);
      if (inside(y, p))
        copy_line<Arch>(a, line(p), at.place, copies);
      else
        std::memset(copies, 0, line_floats * sizeof(float));
    }
  }
}

} // namespace fovea::simd::detail
