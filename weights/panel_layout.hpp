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
//   q4_k            for each 256 k the scale of each column, its minimum, then three words of 32 bits, each for all
//                   columns; then for each k as in q4_0, but 0 stands for zero. Group g of 32 has at bit 4 g of the
//                   words the lower four bits of its scale, those of its minimum, and the upper two of both
//   q6_k            for each 256 k the scale of each column, then four words, of which word g / 4 has at bit 8 (g % 4)
//                   the scale of group g of 16; then for each 16 k the bits above of each column, two at bit
//                   8 (i % 4) + 2 (i / 4) for k i, then as in q4_0 the lower four, 32 standing for zero
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

/// Where things lie in a panel of a format.
struct panel_places {
  std::size_t bits, row_bits, above_bits; // of a value: all, in its row, and ahead
  bool of_4_bits, rounded_rows, scaled, scaled_by_row, grouped;
  std::size_t together, block; // values of a scale, and of a block
  std::size_t halves, words;   // of the scales of a block
  std::size_t scale_bytes;     // of a column, for a block
  std::size_t above_bytes;     // of a column, for a group
  std::size_t group;           // 32 bytes of rounded rows

  constexpr explicit panel_places(const format_traits& of)
      : bits(of.bits), row_bits(bits / 4 * 4), above_bits(bits % 4), of_4_bits(row_bits == 4),
        rounded_rows(of.rounds_rows), scaled(of.together > 0),
        scaled_by_row(of.together == format_traits::whole_row), grouped(scaled && !scaled_by_row),
        together(grouped ? of.together : weight_group), block(of.block),
        halves(scaled_by_row ? 0 : of.halves), words(scaled_by_row ? 1 : of.words),
        scale_bytes(2 * halves + 4 * words), above_bytes(above_bits * together / 8),
        group(bits == 16 ? weight_group / 2 : weight_group) {}

  constexpr std::size_t row_bytes(std::size_t packed) const { return packed * row_bits / 8; }
  /// Bytes of the scales and bits above up to row k's own.
  constexpr std::size_t scales_before(std::size_t packed, std::size_t k) const {
    return scaled_by_row ? packed * scale_bytes
           : grouped     ? packed * ((k / block + 1) * scale_bytes + (k / together + 1) * above_bytes)
                         : 0;
  }
  /// Where the weight of a column in row k is, in bytes from the panel's beginning; of 4 bits in the low half
  /// of that byte for the first half of the columns.
  constexpr std::size_t place(std::size_t packed, std::size_t k, std::size_t column) const {
    const std::size_t among = of_4_bits ? column % (packed / 2) : column;
    if (rounded_rows) { // a lane of 32 bits holds some k of a column
      const std::size_t bytes = bits == 16 ? 2 : 1, in_lane = 4 / bytes;
      return k / in_lane * in_lane * row_bytes(packed) + scales_before(packed, k) + 4 * among +
             k % in_lane * bytes;
    }
    return k * row_bytes(packed) + scales_before(packed, k) + among * (of_4_bits ? 1 : bits / 8);
  }
  /// Where the scales of its block do: numbers `halves` and words of each column.
  constexpr std::size_t scales(std::size_t packed, std::size_t k) const {
    return scaled_by_row ? 0 : k / block * packed * (scale_bytes + block * bits / 8);
  }
  constexpr std::size_t half(std::size_t packed, std::size_t k, std::size_t which, std::size_t column) const {
    return scales(packed, k) + 2 * (which * packed + column);
  }
  constexpr std::size_t word(std::size_t packed, std::size_t k, std::size_t which, std::size_t column) const {
    return scales(packed, k) + 2 * halves * packed + 4 * (which * packed + column);
  }
  /// Where the bits above of its group do.
  constexpr std::size_t above(std::size_t packed, std::size_t k) const {
    return scales(packed, k) + packed * scale_bytes + k % block / together * packed * (together * bits / 8);
  }
  /// Bytes from one panel to the next.
  constexpr std::size_t bytes(std::size_t packed, std::size_t depth) const {
    const std::size_t whole = grouped || rounded_rows ? (depth + group - 1) / group * group : depth;
    return grouped ? packed * ((depth + block - 1) / block * scale_bytes + whole * bits / 8)
                   : scales_before(packed, 0) + whole * row_bytes(packed);
  }
};

/// The same of a format that the compiler knows.
template <weight_format format>
struct panel_layout {
  static constexpr weight_format of = format;
  static constexpr element_type stored = traits(format).stored;
  static constexpr bool in_k_blocks = is_k(format);
  static constexpr panel_places places{traits(format)};
  static constexpr std::size_t bits = places.bits, above_bits = places.above_bits, together = places.together,
                               block = places.block, halves = places.halves, words = places.words,
                               scale_bytes = places.scale_bytes, above_bytes = places.above_bytes,
                               group = places.group;
  static constexpr bool rounded_rows = places.rounded_rows, of_4_bits = places.of_4_bits,
                        scaled = places.scaled, grouped = places.grouped,
                        scaled_by_row = places.scaled_by_row;

  static constexpr std::size_t row_bytes(std::size_t packed) { return places.row_bytes(packed); }
  static constexpr std::size_t scales_before(std::size_t packed, std::size_t k) {
    return places.scales_before(packed, k);
  }
  static constexpr std::size_t place(std::size_t packed, std::size_t k, std::size_t column) {
    return places.place(packed, k, column);
  }
  static constexpr bool is_low(std::size_t packed, std::size_t column) { return column < packed / 2; }
  static constexpr std::size_t scales(std::size_t packed, std::size_t k) { return places.scales(packed, k); }
  static constexpr std::size_t half(std::size_t packed, std::size_t k, std::size_t which,
                                    std::size_t column) {
    return places.half(packed, k, which, column);
  }
  static constexpr std::size_t word(std::size_t packed, std::size_t k, std::size_t which,
                                    std::size_t column) {
    return places.word(packed, k, which, column);
  }
  static constexpr std::size_t above(std::size_t packed, std::size_t k) { return places.above(packed, k); }
  static constexpr std::size_t bytes(std::size_t packed, std::size_t depth) {
    return places.bytes(packed, depth);
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
  return panel_places(traits(format)).bytes(panel, depth);
}

} // namespace fovea::core
