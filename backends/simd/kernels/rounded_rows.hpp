#pragma once

// What weights multiply, rounded as they are: the left side of rounded_product.hpp.

#include <cstdint>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/panel_layout.hpp>
#include <fovea/backends/simd/narrow.hpp>

namespace fovea::simd::detail {

/// Rows in groups of 32 bytes: as many whole numbers, or half as many values in bfloat16; what lies behind
/// the depth is zero. Those of a register block lie side by side group by group, so that the product finds
/// them at constant distances.
///   bytes   [blocks, groups, rows of the block, 32]
///   scales  of whole numbers, [blocks, groups, rows of the block], or [rows] where a row has one scale; a
///           number of -127 to 127 times its scale is near the value
///   below   as many: the sum of the numbers, with the other sign
struct rounded_rows {
  static constexpr size_t group_bytes = 32, most_groups = most_rounded_depth / group_bytes;
  size_t groups;
  alignas(64) unsigned char bytes[most_groups * group_bytes];
  float scales[most_groups];
  std::int32_t below[most_groups];
};

/// Where a row goes: its first group, how many rows of other groups lie between two of its own, and which row
/// it is.
struct row_place {
  size_t first, apart, row;
  size_t group(size_t g) const { return first + g * apart; }
};

/// The magnitudes of some values, seen as integers: the largest is that of the largest value, and of one that
/// is not finite if there is one.
template <class Arch>
struct largest_magnitude {
  int_vec<Arch> bits_of = int_vec<Arch>(0);

  void see(const vec<Arch>& x) { bits_of = xsimd::max(bits_of, bits<Arch>(x) & int_vec<Arch>(0x7fffffff)); }
  float value() const { // of NaN, which floats' max passes over, infinity
    return reduce_max<Arch>(from_bits<Arch>(xsimd::min(bits_of, int_vec<Arch>(0x7f800000))));
  }
};

/// How the values of one scale become whole numbers, `most` being the largest magnitude.
template <class Arch>
struct to_whole_numbers {
  float scale; // NaN where a value is not finite
  vec<Arch> steps, sum = vec<Arch>(0.f);

  explicit to_whole_numbers(float most)
      : scale(most / 127 + most * 0), steps(most > 0x1p-100f ? 127 / most : 0.f) {}

  void round(const vec<Arch>& x, unsigned char* to) {
    const vec<Arch> whole(0x1.8p23f); // has no fraction
    const vec<Arch> rounded = fma<Arch>(x, steps, whole);
    sum = sum + (rounded - whole);
    store_low_bytes<Arch>(bits<Arch>(rounded), to);
  }
  void finish(rounded_rows& to, size_t at) const {
    to.scales[at] = scale;
    to.below[at] = static_cast<std::int32_t>(-reduce_add<Arch>(sum));
  }
};

/// f(vector, place) for the values of group g of a row, zeros behind the depth.
template <class Arch, size_t values, class F>
[[gnu::always_inline]] inline void for_group(const float* x, size_t depth, size_t g, const F& f) {
  const size_t before = g * values, count = smaller(values, depth - before);
  for_constants<values / width<Arch>>([&](auto v) {
    constexpr size_t first = v * width<Arch>;
    f(first + width<Arch> <= count ? load<Arch>(x + before + first)
      : first < count              ? load_first<Arch>(x + before + first, count - first)
                                   : vec<Arch>(0.f),
      first);
  });
}

/// A row whose groups have scales of their own.
template <class Arch>
inline void round_by_group(const float* x, size_t depth, rounded_rows& to, const row_place& place) {
  for (size_t g = 0; g < to.groups; ++g) {
    const size_t at = place.group(g);
    largest_magnitude<Arch> largest;
    for_group<Arch, weight_group>(x, depth, g, [&](const vec<Arch>& value, size_t) { largest.see(value); });
    to_whole_numbers<Arch> made(largest.value());
    for_group<Arch, weight_group>(x, depth, g, [&](const vec<Arch>& value, size_t k) {
      made.round(value, to.bytes + at * to.group_bytes + k);
    });
    made.finish(to, at);
  }
}

/// A row of one scale.
template <class Arch>
inline void round_by_row(const float* x, size_t depth, rounded_rows& to, const row_place& place) {
  largest_magnitude<Arch> largest;
  for_vectors<Arch>(depth, [&](size_t k, auto here) { largest.see(here.load(x + k)); });
  to_whole_numbers<Arch> made(largest.value());
  for (size_t g = 0; g < to.groups; ++g)
    for_group<Arch, weight_group>(x, depth, g, [&](const vec<Arch>& value, size_t k) {
      made.round(value, to.bytes + place.group(g) * to.group_bytes + k);
    });
  made.finish(to, place.row);
}

/// A row in bfloat16.
template <class Arch>
inline void round_to_bfloat(const float* x, size_t depth, rounded_rows& to, const row_place& place) {
  for (size_t g = 0; g < to.groups; ++g)
    for_group<Arch, rounded_rows::group_bytes / 2>(x, depth, g, [&](const vec<Arch>& value, size_t k) {
      store_bfloat<Arch>(value, to.bytes + place.group(g) * to.group_bytes + 2 * k);
    });
}

} // namespace fovea::simd::detail
