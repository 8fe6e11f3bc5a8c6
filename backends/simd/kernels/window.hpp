#pragma once

// What the windows of a convolution see, as rows of a matrix: pointers into the input, where a window lies in
// pieces evenly apart, else into a copy of what it sees.

#include <cstring>
#include <fovea/backends/simd/arch.hpp>
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
