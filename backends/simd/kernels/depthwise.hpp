#pragma once

// Depthwise convolution: each feature by filters of its own, features side by side in vectors, and up to
// eight places at a time so that a filter is read once for them. Long filters over time are depthwise_strip.hpp's.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/depthwise_strip.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/window_tiles.hpp>
#include <limits>

namespace fovea::core::simd {

namespace detail {

/// The most places at once.
inline constexpr size_t depthwise_block = 8;

/// Floats between the sums of one place and the next.
template <class Arch>
inline size_t depthwise_row(const convolution_args& a) {
  return ceil_div(a.groups, width<Arch>) * width<Arch>;
}

/// Calls done(place, feature, lanes, sum) for the sums of `count` neighbouring places. With `shared`, which
/// is for windows of three whole taps on a line of which each begins where the second tap of the one before
/// is, what several see is loaded once.
template <class Arch, size_t count, bool shared, class F>
inline void depthwise_sums(const seen_windows& windows, size_t features, const float* filter,
                           size_t filter_line, const float* bias, const F& done) {
  const float* first = windows.first;
  const std::ptrdiff_t next_line = windows.next_line, next_tap = windows.next_tap,
                       next_place = windows.next_place;
  const size_t lines = windows.lines, taps = windows.taps;
  for_vectors<Arch>(features, [=](size_t j, auto lanes) {
    vec<Arch> sum[count];
    for_constants<count>([&](auto i) { sum[i] = lanes.load(bias + j); });
    const float *line = first + j, *weight_line = filter + j;
    for (size_t ky = 0; ky < lines; ++ky, line += next_line, weight_line += filter_line) {
      // Pointers four places apart, for one would need twice as many distances in registers.
      const float* part[] = {line, line + 4 * next_place, line + 8 * next_place};
      const auto seen = [&](auto place) {
        constexpr std::ptrdiff_t at = decltype(place)::value;
        return part[at / 4] + at % 4 * next_place;
      };
      if constexpr (shared) {
        vec<Arch> weight[3];
        for_constants<3>(
            [&](auto k) { weight[k] = Arch::in_register(lanes.load(weight_line + k * features)); });
        for_constants<count + 2>([&](auto column) {
          const vec<Arch> x = Arch::in_register(lanes.load(seen(column)));
          for_constants<3>([&](auto k) {
            if constexpr (column >= k && column - k < count)
              sum[column - k] = Arch::fma(x, weight[k], sum[column - k]);
          });
        });
      } else {
        const float* weights = weight_line;
        for (size_t kx = 0; kx < taps; ++kx, weights += features) {
          const vec<Arch> weight = lanes.load(weights);
          for_constants<count>([&](auto i) { sum[i] = Arch::fma(lanes.load(seen(i)), weight, sum[i]); });
          for_constants<ceil_div(count, 4)>([&](auto i) { part[i] += next_tap; });
        }
      }
    }
    for_constants<count>([&](auto i) { done(i, j, lanes, sum[i]); });
  });
}

/// The output at `count` neighbouring places; `scratch` has room for their sums, which wait there where more
/// than a maximum follows.
template <class Arch, size_t count, bool shared>
inline void depthwise_places(const convolution_args& a, const window_place& at, tap_range lines,
                             tap_range taps, float* scratch) {
  const seen_windows windows(a.x, a.x_plane, a.axis, a.groups, at, lines, taps);
  const size_t filter_line = a.axis[1].taps * a.groups;
  const float* filter = a.weights + lines.first * filter_line + taps.first * a.groups;
  const size_t to = at.plane * a.out_plane + at.line * a.out_line + at.place * a.out_place;
  const size_t apart = a.out_place, row = depthwise_row<Arch>(a);
  float* out = a.out + to;
  const float* other = a.other ? a.other + to : nullptr;
  if (!other && (a.act == op::none || a.act == op::relu)) {
    const vec<Arch> least(a.act == op::relu ? 0.f : -std::numeric_limits<float>::infinity());
    depthwise_sums<Arch, count, shared>(windows, a.groups, filter, filter_line, a.bias,
                                        [=](size_t i, size_t j, auto lanes, const vec<Arch>& sum) {
                                          lanes.store(out + i * apart + j,
                                                      Arch::max(least, sum)); // a sum that is NaN stays
                                        });
    return;
  }
  depthwise_sums<Arch, count, shared>(
      windows, a.groups, filter, filter_line, a.bias,
      [=](size_t i, size_t j, auto, const vec<Arch>& sum) { sum.store_aligned(scratch + i * row + j); });
  activate<Arch>(a.act, scratch, count * row);
  for (size_t i = 0; i < count; ++i)
    join_row<Arch>(a.join, scratch + i * row, other ? other + i * apart : nullptr, out + i * apart, a.groups);
}

} // namespace detail

template <class Arch>
size_t depthwise_tasks(const convolution_args& a) {
  if (detail::is_by_strips(a)) return detail::depthwise_strips<Arch>(a).tasks(a);
  return detail::window_tiles(a.axis, a.groups).count(a.planes);
}

template <class Arch>
size_t depthwise_scratch(const convolution_args& a) {
  const size_t places = detail::depthwise_block * detail::depthwise_row<Arch>(a);
  return detail::may_go_by_strips(a) ? detail::larger(places, detail::depthwise_strips<Arch>::scratch(a))
                                     : places;
}

template <class Arch>
void depthwise(const convolution_args& a, size_t first, size_t last, float* scratch) {
  using namespace detail;
  if (is_by_strips(a)) return convolve_strips<Arch>(a, first, last, scratch);
  const window_tiles tiles(a.axis, a.groups);
  const bool shares = a.axis[1].taps == 3 && a.axis[1].step == a.axis[1].tap_step;
  for (; first < last; ++first)
    for_neighbours<depthwise_block>(
        a.axis, tiles, first, [&](const window_place& at, auto count, tap_range lines, tap_range taps) {
          if constexpr (count > 1) // and so of whole windows
            if (shares) return depthwise_places<Arch, count, true>(a, at, lines, taps, scratch);
          depthwise_places<Arch, count, false>(a, at, lines, taps, scratch);
        });
}

} // namespace fovea::core::simd
