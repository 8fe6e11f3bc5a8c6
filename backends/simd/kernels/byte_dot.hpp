#pragma once

// Dot products of four bytes in each 32-bit lane: lane j has four weights of column j, one after another, and
// meets the same four numbers of a row. Each set has them, as byte_dot<of_4_bits>: of weights of -128 to 127,
// or of 0 to 63, of which those of four bits stand for 8 less.
//   sums      a vector of them
//   weights   as `ready` makes them of what a panel holds
//   add       sum + the dot products by numbers of -127 to 127
//   add_lane  `add` by one lane of the numbers, where an instruction takes one
//   excess    the logarithm of how much more each weight counts there than it stands for; 0: none
// Where an instruction takes two rows, byte_dot has two_rows. The sums of two rows are two vectors there, too.
// The first has half of the columns, of one row and then of the other; the second has the other half.
//   ready     halves of the columns, with eight weights each, of the `weights` of two lanes of numbers
//   add       sum + the products of a half by eight numbers of one row and eight of the other
//   turned    the sums of either row as these two vectors, and back
// Pairs of products fit 16 bits: numbers are at most 127 in magnitude, and weights 128.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/weights/weight_format.hpp>

namespace fovea::core::simd::detail {

template <class Arch>
struct byte_dots {
  static constexpr bool takes(weight_format format) { return sums_integers(format) && !is_k(format); }
  template <class layout>
  using of = typename Arch::template byte_dot<layout::of_4_bits>;
};

/// Of K blocks, whose weights have no sign.
template <class Arch>
struct k_byte_dots {
  static constexpr bool takes(weight_format format) { return sums_integers(format) && is_k(format); }
  template <class layout>
  using of = typename Arch::template byte_dot<true>;
};

} // namespace fovea::core::simd::detail
