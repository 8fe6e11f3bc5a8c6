#pragma once

// Depthwise convolution over time by long filters. A strip of places sees a vector of features at positions that lie
// a whole row of features apart, where a first-level cache has few sets for them. They are copied once to lie one
// behind the other, with zeros around the ends, and then read by every tap.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/sizes.hpp>
#include <fovea/backends/simd/kernels/window.hpp>

namespace fovea::core::simd::detail {

/// Whether a depthwise convolution of these sizes, or of smaller ones, may go by strips: its filters are long enough to
/// repay the copy, and its places enough to see a position several times.
inline bool may_go_by_strips(const convolution_args& a) {
  constexpr size_t least_taps = 16, least_places = 16;
  return a.axis[0].taps == 1 && a.axis[1].taps >= least_taps && a.axis[1].places >= least_places;
}
/// Whether one of these sizes does: it has one line, the first.
inline bool is_by_strips(const convolution_args& a) {
  return may_go_by_strips(a) && a.axis[0].places == 1 && position(a.axis[0], 0, 0) == 0;
}

/// Tasks are (plane, strip of places, some vectors of features), the last fastest. The scratch of one thread: a vector
/// of the filter, of the sums and of the positions that a strip sees.
template <class Arch>
struct depthwise_strips {
  static constexpr size_t most_places = 128, features = 4 * width<Arch>;
  size_t strips, blocks;

  explicit depthwise_strips(const convolution_args& a)
      : strips(ceil_div(a.axis[1].places, most_places)), blocks(ceil_div(a.groups, features)) {}
  size_t tasks(const convolution_args& a) const { return a.planes * strips * blocks; }
  static size_t scratch(const convolution_args& a) {
    const window_axis& x = a.axis[1];
    const auto distance = [](std::ptrdiff_t step) { return static_cast<size_t>(step < 0 ? -step : step); };
    const size_t seen = 1 + (most_places - 1) * distance(x.step) + (x.taps - 1) * distance(x.tap_step);
    return (x.taps + most_places + seen) * width<Arch>;
  }
};

/// sums[i] = bias + the products of a filter with what it sees from `x` on, of `count` places that are `step` vectors
/// apart, as are taps tap_step. A step of 1 is known.
template <class Arch, size_t count, bool by_one>
inline void sum_places(const window_axis& axis, const float* x, const float* filter, const vec<Arch>& bias,
                       float* sums) {
  constexpr auto lanes = static_cast<std::ptrdiff_t>(width<Arch>);
  const std::ptrdiff_t step = by_one ? lanes : axis.step * lanes, tap_step = axis.tap_step * lanes;
  vec<Arch> sum[count];
  for_constants<count>([&](auto i) { sum[i] = bias; });
  for (const float* const end = filter + axis.taps * width<Arch>; filter != end;
       filter += lanes, x += tap_step) {
    const vec<Arch> weight = Arch::load(filter);
    for_constants<count>([&](auto i) {
      constexpr auto place = static_cast<std::ptrdiff_t>(decltype(i)::value);
      sum[i] = Arch::fma(Arch::load(x + place * step), weight, sum[i]);
    });
  }
  for_constants<count>([&](auto i) { Arch::store(sums + i * width<Arch>, sum[i]); });
}

/// The sums of `count` places.
template <class Arch, bool by_one>
inline void sum_strip(const window_axis& axis, const float* x, const float* filter, const vec<Arch>& bias,
                      size_t count, float* sums) {
  constexpr size_t together = 8;
  const auto seen = [&](size_t place) {
    return x + static_cast<std::ptrdiff_t>(place * width<Arch>) * axis.step;
  };
  size_t place = 0;
  for (; place + together <= count; place += together)
    sum_places<Arch, together, by_one>(axis, seen(place), filter, bias, sums + place * width<Arch>);
  for (; place < count; ++place)
    sum_places<Arch, 1, by_one>(axis, seen(place), filter, bias, sums + place * width<Arch>);
}

/// Places [first, first + count) of a plane, the vector of features from `feature` on, of which `features` exist.
template <class Arch, class Lanes>
inline void convolve_strip(const convolution_args& a, size_t plane, size_t first, size_t count,
                           size_t feature, const Lanes& lanes, size_t features, float* scratch) {
  constexpr size_t lane_count = width<Arch>;
  const window_axis& axis = a.axis[1];
  const std::ptrdiff_t of_first = position(axis, first, 0), of_last = position(axis, first, axis.taps - 1);
  const std::ptrdiff_t least = of_first < of_last ? of_first : of_last;
  const size_t seen = static_cast<size_t>((of_first < of_last ? of_last : of_first) - least) +
                      (count - 1) * static_cast<size_t>(axis.step) + 1;
  float *const filter = scratch, *const sums = filter + axis.taps * lane_count,
               *const x = sums + depthwise_strips<Arch>::most_places * lane_count;
  for (size_t tap = 0; tap < axis.taps; ++tap)
    Arch::store(filter + tap * lane_count, lanes.load(a.weights + tap * a.groups + feature));
  const float* const from = a.x + plane * a.x_plane + feature;
  for (size_t i = 0; i < seen; ++i) {
    const std::ptrdiff_t at = least + static_cast<std::ptrdiff_t>(i);
    Arch::store(x + i * lane_count,
                inside(axis, at) ? lanes.load(from + static_cast<size_t>(at) * a.groups) : vec<Arch>(0.f));
  }
  const float* const by_first = x + (of_first - least) * static_cast<std::ptrdiff_t>(lane_count);
  const vec<Arch> bias = lanes.load(a.bias + feature);
  if (axis.step == 1)
    sum_strip<Arch, true>(axis, by_first, filter, bias, count, sums);
  else
    sum_strip<Arch, false>(axis, by_first, filter, bias, count, sums);
  const size_t to = plane * a.out_plane + first * a.out_place + feature;
  const product_part part{.columns = features,
                          .out = a.out + to,
                          .out_stride = a.out_place,
                          .other = a.other ? a.other + to : nullptr,
                          .other_stride = a.out_place,
                          .act = a.act,
                          .join = a.join};
  finish_block<Arch>(part, count, 0, 0, features, sums, lane_count);
}

/// Tasks [first, last).
template <class Arch>
inline void convolve_strips(const convolution_args& a, size_t first, size_t last, float* scratch) {
  const depthwise_strips<Arch> all(a);
  for (; first < last; ++first) {
    const size_t feature = first % all.blocks * all.features,
                 place = first / all.blocks % all.strips * all.most_places,
                 plane = first / all.blocks / all.strips;
    const size_t places = smaller(a.axis[1].places - place, all.most_places),
                 features = smaller(a.groups - feature, all.features);
    for_vectors<Arch>(features, [&](size_t j, auto lanes) {
      convolve_strip<Arch>(a, plane, place, places, feature + j, lanes, smaller(features - j, width<Arch>),
                           scratch);
    });
  }
}

} // namespace fovea::core::simd::detail
