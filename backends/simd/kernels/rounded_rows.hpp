#pragma once

// What weights multiply, rounded as they are: the left side of rounded_product.hpp.

#include <cstdint>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/sizes.hpp>
#include <fovea/weights/panel_layout.hpp>

namespace fovea::core::simd::detail {

/// Rows in groups of 32 bytes: as many whole numbers, or half as many values in bfloat16; what lies behind
/// the depth is zero. Those of a register block lie side by side group by group, so that the product finds
/// them at constant distances.
///   bytes   [blocks, groups, rows of the block, 32]; two rows that are multiplied at once take turns, eight
///           bytes each; 64 where values in bfloat16 are kept as float32
///   scales  of whole numbers, [blocks, groups, rows of the block], or [rows] where a row has one scale; a
///           number of -127 to 127 times its scale is near the value
///   below   as many: the sum of the numbers, with the other sign; of K blocks 32 times that of each half
///   less    of K blocks, that sum times the scale
struct rounded_rows {
  static constexpr size_t group_bytes = 32, most_groups = most_rounded_depth / group_bytes;
  size_t groups = 0; // of a row
  unsigned char* bytes = nullptr;
  float* scales = nullptr;
  std::int32_t* below = nullptr;
  float* less = nullptr;
};

/// The magnitudes of some values, seen as integers: the largest is that of the largest value, and of one that
/// is not finite if there is one.
template <class Arch>
struct largest_magnitude {
  int_vec<Arch> bits_of = int_vec<Arch>(0);

  void see(const vec<Arch>& x) { bits_of = Arch::max(bits_of, Arch::bits(Arch::abs(x))); }
  vec<Arch> of_lanes() const { // of NaN, which floats' max passes over, infinity
    return Arch::from_bits(Arch::min(bits_of, int_vec<Arch>(0x7f800000)));
  }
  float value() const { return reduce_max<Arch>(of_lanes()); }
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
    const vec<Arch> rounded = Arch::fma(x, steps, whole);
    sum = sum + (rounded - whole);
    Arch::store_low_bytes(Arch::bits(rounded), to);
  }
  /// Of what was rounded since this was asked for.
  std::int32_t take_below() {
    const auto below = static_cast<std::int32_t>(-reduce_add<Arch>(sum));
    sum = vec<Arch>(0.f);
    return below;
  }
};

/// f(vector, place) for the values of group g of a row, zeros behind the depth.
template <class Arch, size_t values, class F>
[[gnu::always_inline]] inline void for_group(const float* x, size_t depth, size_t g, const F& f) {
  const size_t before = g * values, count = before < depth ? smaller(values, depth - before) : 0;
  for_constants<values / width<Arch>>([&](auto v) {
    constexpr size_t first = v * width<Arch>;
    f(first + width<Arch> <= count ? Arch::load(x + before + first)
      : first < count              ? Arch::load_first(x + before + first, count - first)
                                   : vec<Arch>(0.f),
      first);
  });
}

/// Where one of them goes: its first group, how many rows of other groups lie between two of its own, and
/// which row it is.
struct rounded_row {
  static constexpr size_t group_bytes = rounded_rows::group_bytes;
  const rounded_rows* rows;
  size_t first, apart, row;

  size_t groups() const { return rows->groups; }
  unsigned char* bytes(size_t g, size_t i) const {
    return rows->bytes + (first + g * apart) * group_bytes + i;
  }
  template <size_t parts>
  void keep_group(size_t g, float scale, const std::int32_t (&below)[parts]) const {
    keep(first + g * apart, scale, below);
  }
  void keep_row(float scale, std::int32_t below) const { keep(row, scale, {below}); }

private:
  template <size_t parts>
  void keep(size_t at, float scale, const std::int32_t (&below)[parts]) const {
    rows->scales[at] = scale;
    if constexpr (parts == 1) {
      rows->below[at] = below[0];
    } else {
      rows->below[2 * at] = 32 * below[0], rows->below[2 * at + 1] = 32 * below[1];
      rows->less[at] = scale * static_cast<float>(below[0] + below[1]);
    }
  }
};

/// Parts of 32 numbers of a row that have sums of their own.
template <class layout>
inline constexpr size_t parts_of_group = layout::in_k_blocks ? 2 : 1;

/// One of two that are multiplied at once: the first, or the second.
struct row_of_two : rounded_row {
  size_t second;
  unsigned char* bytes(size_t g, size_t i) const {
    return rows->bytes + (first - second + g * apart) * group_bytes + (i / 8 * 2 + second) * 8 + i % 8;
  }
};

/// One whose values in bfloat16 are kept as float32.
struct row_of_floats : rounded_row {
  static constexpr size_t wide_group_bytes = 2 * group_bytes;
  float* floats(size_t g, size_t i) const {
    return reinterpret_cast<float*>(rows->bytes + (first + g * apart) * wide_group_bytes) + i;
  }
};

/// x[depth] rounded as a format's products do. `to` says where it goes:
///   group_bytes         of its groups
///   groups()            how many there are
///   bytes(g, i)         where byte i of a group goes, and those of a vector behind it; or floats(g, i)
///   keep_group(g, scale, below) takes the scale of a group, and what is below of its parts
///   keep_row(scale, below)      those of a row
template <class Arch, class layout, class Row>
inline void round_row(const float* x, size_t depth, const Row& to) {
  constexpr size_t group = Row::group_bytes * 8 / (layout::bits == 16 ? 16 : 8); // values
  if constexpr (!layout::scaled) {
    for (size_t g = 0; g < to.groups(); ++g)
      for_group<Arch, group>(x, depth, g, [&](const vec<Arch>& value, size_t k) {
        if constexpr (requires { to.floats(g, k); })
          Arch::store(to.floats(g, k), Arch::nearest_bfloat(value));
        else
          Arch::store_bfloat(value, to.bytes(g, 2 * k));
      });
  } else if constexpr (layout::grouped) {
    static_assert(group == weight_group);
    for (size_t g = 0; g < to.groups(); ++g) {
      largest_magnitude<Arch> largest;
      for_group<Arch, group>(x, depth, g, [&](const vec<Arch>& value, size_t) { largest.see(value); });
      to_whole_numbers<Arch> made(largest.value());
      constexpr size_t parts = parts_of_group<layout>, of_part = group / parts;
      std::int32_t below[parts];
      for_constants<parts>([&](auto part) {
        for_group<Arch, of_part>(x, depth, parts * g + part, [&](const vec<Arch>& value, size_t k) {
          made.round(value, to.bytes(g, part * of_part + k));
        });
        below[part] = made.take_below();
      });
      to.keep_group(g, made.scale, below);
    }
  } else {
    largest_magnitude<Arch> largest;
    for_vectors<Arch>(depth, [&](size_t k, auto here) { largest.see(here.load(x + k)); });
    to_whole_numbers<Arch> made(largest.value());
    for (size_t g = 0; g < to.groups(); ++g)
      for_group<Arch, group>(x, depth, g,
                             [&](const vec<Arch>& value, size_t k) { made.round(value, to.bytes(g, k)); });
    to.keep_row(made.scale, made.take_below());
  }
}

} // namespace fovea::core::simd::detail
