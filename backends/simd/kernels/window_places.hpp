#pragma once

// Where the windows of a convolution lie: places of the output, and the positions of the input that their taps see.

#include <fovea/backends/simd/kernels/arguments.hpp>

namespace fovea::core::simd::detail {

/// A place of the output, counted through planes, lines and places.
struct window_place {
  size_t plane, line, place;
  window_place(size_t in_plane, size_t in_line, size_t at) : plane(in_plane), line(in_line), place(at) {}
  window_place(const window_axis (&axis)[2], size_t row)
      : plane(row / axis[1].places / axis[0].places), line(row / axis[1].places % axis[0].places),
        place(row % axis[1].places) {}
  void next(const window_axis (&axis)[2]) {
    if (++place < axis[1].places) return;
    place = 0;
    if (++line < axis[0].places) return;
    line = 0, ++plane;
  }
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
inline bool whole_inside(const window_axis& axis, size_t place) {
  return axis.taps == 0 ||
         (inside(axis, position(axis, place, 0)) && inside(axis, position(axis, place, axis.taps - 1)));
}

/// Floats that a window sees side by side.
inline size_t piece_of(const convolution_args& a) {
  return in_one_piece(a) ? a.axis[1].taps * a.depth : a.depth;
}
/// Whether windows are read where they lie: their pieces evenly apart, and long enough to be worth it.
inline bool in_place(const convolution_args& a) {
  constexpr size_t least = 8; // floats
  const bool even = in_one_piece(a) || a.axis[0].taps == 1;
  return even && taps_of(a) > 0 && (piece_of(a) >= least || piece_of(a) == taps_of(a) * a.depth);
}

} // namespace fovea::core::simd::detail
