#pragma once

// Numbers rounded to bfloat16 for the products of training (bfloat_pack_args and bfloat_round_args in arguments.hpp):
// as panels of the product in bfloat16, or as float32 for sets whose products are float32's.

#include <cstdint>
#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/panel.hpp>
#include <fovea/backends/simd/kernels/sizes.hpp>
#include <fovea/backends/simd/kernels/turn.hpp>
#include <fovea/weights/panel_layout.hpp>

namespace fovea::core::simd {

namespace detail {

using bfloat_layout = panel_layout<format_named<bf16_products>>;

/// Columns that are packed at a time: 64 bytes of each row.
inline constexpr size_t bfloats_at_once = 32;

/// Rows of a panel's height by some columns, rounded; missing ones are zero.
template <class Arch>
struct bfloat_block {
  static constexpr size_t rows = panel<Arch>, row_bytes = 2 * bfloats_at_once;
  alignas(64) unsigned char bytes[rows * row_bytes];

  bfloat_block(const float* b, size_t row, size_t of_rows, size_t of_columns) {
    for (size_t r = 0; r < rows; ++r)
      for_constants<bfloats_at_once / width<Arch>>([&](auto v) {
        constexpr size_t first = v * width<Arch>;
        const size_t count = r < of_rows && first < of_columns ? of_columns - first : 0;
        Arch::store_bfloat(count >= width<Arch> ? Arch::load(b + r * row + first)
                           : count > 0          ? Arch::load_first(b + r * row + first, count)
                                                : vec<Arch>(0.f),
                           bytes + r * row_bytes + 2 * first);
      });
  }
  /// Each two columns of all rows side by side: as a square of pairs, turned.
  void write_rows(unsigned char* to) const {
    constexpr size_t lanes = width<Arch>, pairs = bfloats_at_once / 2;
    float values[rows * pairs];
    std::memcpy(values, bytes, sizeof values);
    alignas(64) float turned[pairs * rows];
    for (size_t r = 0; r < rows; r += lanes)
      for (size_t k = 0; k < pairs; k += lanes)
        turn_square<Arch>(values + r * pairs + k, pairs, turned + k * rows + r, rows);
    std::memcpy(to, turned, sizeof turned);
  }
  /// Each two rows of a vector's columns side by side.
  void write_columns(size_t r, size_t first, unsigned char* to) const {
    const unsigned char* from = bytes + r * row_bytes + 2 * first;
    const int_vec<Arch> both = Arch::load_uint16(from) | Arch::load_uint16(from + row_bytes) << 16;
    Arch::store(reinterpret_cast<float*>(to), Arch::from_bits(both));
  }
};

} // namespace detail

template <class Arch>
size_t pack_bfloats_tasks(const bfloat_pack_args& args) {
  return detail::ceil_div(args.rows, panel<Arch>);
}

/// A task is a panel of rows, and as many of the depth of all panels of columns.
template <class Arch>
void pack_bfloats(const bfloat_pack_args& args, size_t first, size_t last) {
  using namespace detail;
  using block = bfloat_block<Arch>;
  using layout = bfloat_layout;
  constexpr size_t packed = panel<Arch>, pair_bytes = 4 * packed;
  const size_t panel_of_rows = layout::bytes(packed, args.columns),
               panel_of_columns = layout::bytes(packed, args.rows),
               deep = ceil_div(args.columns, layout::group) * layout::group,
               wide = ceil_div(args.columns, packed) * packed;
  for (size_t task = first; task < last; ++task) {
    const size_t row = task * packed, rows = smaller(packed, args.rows - row),
                 padded = task + 1 < pack_bfloats_tasks<Arch>(args)
                              ? packed
                              : ceil_div(args.rows, layout::group) * layout::group - row;
    for (size_t j = 0; j < larger(deep, wide); j += bfloats_at_once) {
      const block here(args.b + row * args.row + j, args.row, rows, j < args.columns ? args.columns - j : 0);
      if (args.of_rows != nullptr && j < deep) {
        unsigned char* to = args.of_rows + task * panel_of_rows + j / 2 * pair_bytes;
        if (j + bfloats_at_once <= deep) {
          here.write_rows(to);
        } else { // half of it
          alignas(64) unsigned char all[bfloats_at_once / 2 * pair_bytes];
          here.write_rows(all);
          std::memcpy(to, all, sizeof all / 2);
        }
      }
      if (args.of_columns == nullptr) continue;
      for (size_t k = 0; k < padded; k += 2)
        for (size_t v = 0; v < bfloats_at_once && j + v < wide; v += width<Arch>) {
          const size_t column = j + v;
          unsigned char* to = args.of_columns + column / packed * panel_of_columns +
                              (row + k) / 2 * pair_bytes + column % packed * 4;
          if (k < packed)
            here.write_columns(k, v, to);
          else
            std::memset(to, 0, 4 * width<Arch>);
        }
    }
  }
}

inline size_t round_bfloats_tasks(const bfloat_round_args& args) { return args.rows; }

template <class Arch>
void round_bfloats(const bfloat_round_args& args, size_t first, size_t last) {
  for (size_t row = first; row < last; ++row)
    detail::for_vectors<Arch>(args.columns, [&](size_t i, auto here) {
      here.store(args.out + row * args.out_row + i,
                 Arch::nearest_bfloat(here.load(args.x + row * args.x_row + i)));
    });
}

} // namespace fovea::core::simd
