#pragma once

// The output of windows over features side by side (pooling, depthwise convolution) in tiles of a few lines
// and so few places that what their windows share stays in the first-level cache. A tile is a task.

#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/window.hpp>
#include <type_traits>

namespace fovea::core::simd::detail {

/// Lines and places of a tile, and how many tiles there are of each; planes are tiled one by one.
struct window_tiles {
  size_t lines, places, bands, strips;

  /// For windows over `features` floats at each position.
  window_tiles(const window_axis (&axis)[2], size_t features) {
    constexpr size_t cached = 6 * 1024,
                     enough = 16 * 1024; // floats that windows of a line see, and of a task
    const size_t seen = larger(axis[0].taps * features * larger(static_cast<size_t>(axis[1].step), 1), 1);
    const size_t most = larger(cached / seen / 8, 1) * 8;
    places = even_share(axis[1].places, most);
    lines = even_share(axis[0].places, larger(enough / larger(places * features, 1), 1));
    strips = axis[1].places == 0 ? 0 : ceil_div(axis[1].places, places);
    bands = axis[0].places == 0 ? 0 : ceil_div(axis[0].places, lines);
  }
  size_t count(size_t planes) const { return planes * bands * strips; }

private:
  /// The size of each of as few parts of `all` as have no more than `most`, evenly.
  static size_t even_share(size_t all, size_t most) {
    return all == 0 ? 1 : ceil_div(all, ceil_div(all, most));
  }
};

/// Calls f(count) as `at` goes on to `end`, by `block` places while there are as many, then by half as many.
template <size_t block, class F>
inline void for_whole_windows(window_place& at, size_t end, const F& f) {
  for (; at.place + block <= end; at.place += block) f(std::integral_constant<size_t, block>{});
  if constexpr (block > 1) for_whole_windows<block / 2>(at, end, f);
}

/// Calls f(at, count, lines, taps) for the places of a tile: for `count` neighbours at once, a constant, from
/// `at` on, no more than `most`, whose windows have the same lines and taps inside.
template <size_t most, class F>
inline void for_neighbours(const window_axis (&axis)[2], const window_tiles& tiles, size_t tile, const F& f) {
  const window_axis &y = axis[0], &x = axis[1];
  const size_t band = tile / tiles.strips % tiles.bands, strip = tile % tiles.strips;
  const size_t last_line = smaller((band + 1) * tiles.lines, y.places),
               end = smaller((strip + 1) * tiles.places, x.places);
  window_place at{tile / tiles.strips / tiles.bands, band * tiles.lines, 0};
  for (; at.line < last_line; ++at.line) {
    const tap_range lines(y, at.line);
    const auto call = [&](auto count) { f(at, count, lines, tap_range(x, at.place)); };
    const auto alone = [&] { call(std::integral_constant<size_t, 1>{}); };
    at.place = strip * tiles.places;
    for (; at.place < end && !whole_inside(x, at.place); ++at.place) alone();
    size_t whole = end; // places between two that see whole windows see whole windows
    while (whole > at.place && !whole_inside(x, whole - 1)) --whole;
    for_whole_windows<most>(at, whole, call);
    for (; at.place < end; ++at.place) alone();
  }
}

/// What neighbouring windows see that have the same lines and taps inside.
struct seen_windows {
  const float* first; // the first feature, seen by the first tap of the first window
  std::ptrdiff_t next_line, next_tap, next_place;
  size_t lines, taps;

  /// Of planes x_plane floats apart, `features` at each position.
  seen_windows(const float* x, size_t x_plane, const window_axis (&axis)[2], size_t features,
               const window_place& at, tap_range in_lines, tap_range in_taps)
      : lines(in_lines.count()), taps(in_taps.count()) {
    const auto step = static_cast<std::ptrdiff_t>(features),
               line = static_cast<std::ptrdiff_t>(axis[1].in) * step;
    next_line = axis[0].tap_step * line, next_tap = axis[1].tap_step * step, next_place = axis[1].step * step;
    first = x + at.plane * x_plane + position(axis[0], at.line, in_lines.first) * line +
            position(axis[1], at.place, in_taps.first) * step;
  }
};

} // namespace fovea::core::simd::detail
