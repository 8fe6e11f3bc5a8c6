#pragma once

// How weights lie in a panel of `packed` columns, in each format. Plain numbers: what packs panels and what
// reads them agree by it.
//
//   f32, f16, bf16  for each k, the columns side by side
//   int8            a float32 scale for each column; then for each k an int8 for each column
//   q8_0            for each 32 k: a float16 scale for each column; then for each k an int8 for each column
//   q4_0            the same with a byte for each two columns, j in the low half, j + packed / 2 in the high
//                   one, 8 standing for zero
//   q5_0            the same of the lower four bits; before each 32 k, behind their scales, the fifth bits
//                   of each column, side by side
// Of integer_products the same, but that four k of a column lie side by side: after the scales, for each four
// k four bytes for each column, or for each two. Of bf16_products, for each two k the two of each column side
// by side.
// A group of 32 that the depth ends is as long as the others; where rows are rounded too, so are each 32
// bytes of a column.

#include <cstddef>
#include <iterator>

#include <fovea/weights/weight_format.hpp>

namespace fovea::core {

/// The longest rows, in bytes, that products take which round them.
inline constexpr std::size_t most_rounded_depth = 64 * 1024;

template <weight_format format>
struct panel_layout {
  static constexpr weight_format of = format;
  static constexpr element_type stored = traits(format).stored;
  static constexpr std::size_t bits = traits(format).bits;
  static constexpr bool rounded_rows = rounds_rows(format);
  static constexpr std::size_t row_bits = bits / 4 * 4,
                               above_bits = bits % 4; // of a value: in its row, and ahead
  static constexpr bool of_4_bits = row_bits == 4;
  static constexpr bool scaled = traits(format).together > 0;
  static constexpr bool grouped = traits(format).together == weight_group;
  static constexpr bool scaled_by_row = scaled && !grouped;
  static constexpr std::size_t scale_bytes = scaled_by_row ? 4 : 2;
  static constexpr std::size_t above_bytes = above_bits * weight_group / 8; // of a column, for a group
  static constexpr std::size_t group =
      bits == 16 ? weight_group / 2 : weight_group; // 32 bytes of rounded rows

  static constexpr std::size_t row_bytes(std::size_t packed) { return packed * row_bits / 8; }
  /// Bytes of the scales and bits above up to row k's own.
  static constexpr std::size_t scales_before(std::size_t packed, std::size_t k) {
    return scaled_by_row ? packed * scale_bytes
           : grouped     ? (k / weight_group + 1) * packed * (scale_bytes + above_bytes)
                         : 0;
  }
  /// Where the weight of a column in row k is, in bytes from the panel's beginning; of 4 bits in the low half
  /// of that byte for the first half of the columns.
  static constexpr std::size_t place(std::size_t packed, std::size_t k, std::size_t column) {
    const std::size_t among = of_4_bits ? column % (packed / 2) : column;
    if (rounded_rows) { // a lane of 32 bits holds some k of a column
      constexpr std::size_t bytes = bits == 16 ? 2 : 1, together = 4 / bytes;
      return k / together * together * row_bytes(packed) + scales_before(packed, k) + 4 * among +
             k % together * bytes;
    }
    return k * row_bytes(packed) + scales_before(packed, k) + among * (of_4_bits ? 1 : bits / 8);
  }
  static constexpr bool is_low(std::size_t packed, std::size_t column) { return column < packed / 2; }
  /// Where the scales of its group do.
  static constexpr std::size_t scales(std::size_t packed, std::size_t k) {
    return scaled_by_row ? 0 : k / weight_group * packed * (scale_bytes + weight_group * bits / 8);
  }
  /// Where the bits above of its group do.
  static constexpr std::size_t above(std::size_t packed, std::size_t k) {
    return scales(packed, k) + packed * scale_bytes;
  }
  /// Bytes from one panel to the next.
  static constexpr std::size_t bytes(std::size_t packed, std::size_t depth) {
    const std::size_t whole = grouped || rounded_rows ? (depth + group - 1) / group * group : depth;
    return grouped ? scales(packed, whole) : scales_before(packed, 0) + whole * row_bytes(packed);
  }
};

/// Calls f with the layout of a format.
template <unsigned place = 0, class F>
[[gnu::always_inline]] constexpr auto with_format(weight_format format, const F& f) {
  constexpr weight_format here{place};
  if constexpr (place + 1 < std::size(all_formats::traits))
    if (format != here) return with_format<place + 1>(format, f);
  return f(panel_layout<here>{});
}

/// Bytes of one panel of `panel` columns in a format, from one to the next.
constexpr std::size_t panel_bytes(weight_format format, std::size_t panel, std::size_t depth) {
  return with_format(format, [=](auto layout) { return layout.bytes(panel, depth); });
}

} // namespace fovea::core
