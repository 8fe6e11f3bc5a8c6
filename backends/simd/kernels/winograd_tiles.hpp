#pragma once

// What convolutions by tiles share, of planes and over time: tiles in groups, their sums at the points, the products
// of these, and the outputs of the products.

#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/winograd_points.hpp>

namespace fovea::core::simd::detail {

/// Tiles in groups that are multiplied together. No group of as many tiles, or of fewer, has more than `most`.
struct tile_groups {
  size_t most, group, count;
};

inline constexpr size_t enough_tile_tasks = 64;

/// `floats` are what is multiplied of one tile; a task is a group and one of `panels`.
template <class Arch>
inline tile_groups tile_groups_of(size_t tiles, size_t floats, size_t panels, size_t threads) {
  constexpr size_t cached = 64 * 1024, block = block_rows<Arch>; // cached: floats
  const auto whole_blocks = [](size_t of) { return ceil_div(of, block) * block; };
  const size_t shared = ceil_div(tiles, ceil_div(enough_tile_tasks, panels)), fitting = cached / floats;
  const size_t most = smaller(whole_blocks(larger(smaller(fitting, shared), 2 * block)), tiles);
  const size_t rows = threads >= many_threads ? rows_for_threads<Arch>(tiles, panels, threads, most) : most;
  const size_t even = tiles == 0 ? 0 : ceil_div(tiles, ceil_div(tiles, rows)),
               group = smaller(whole_blocks(even), rows);
  return {most, group, ceil_div(tiles, larger(group, 1))};
}

/// The scratch of one thread: a tile that reaches over an edge, with zeros there; of a group of tiles what is
/// multiplied, [products, group, features]; and the products with one panel, [products, group, panel].
template <class Arch>
struct winograd_scratch_of {
  size_t products, features, edge_floats, turned_floats, sum_floats; // the last two of one product

  winograd_scratch_of(size_t of_products, size_t of_features, size_t group)
      : products(of_products), features(of_features),
        edge_floats(ceil_div(products * features + width<Arch>, 16) * 16),
        turned_floats(apart(group * features + width<Arch>)), sum_floats(apart(group * panel<Arch>)) {}
  size_t floats() const { return edge_floats + products * (turned_floats + sum_floats); }
  float* turned(float* scratch) const { return scratch + edge_floats; }
  float* sums(float* scratch) const { return turned(scratch) + products * turned_floats; }

private:
  /// As far apart as products lie: an odd number of lines of a cache, so that they use all of its sets.
  static size_t apart(size_t floats) { return (ceil_div(floats, 16) | 1) * 16; }
};

/// The sums of six values, in place.
template <class Arch>
[[gnu::always_inline]] inline void turn_six(vec<Arch> (&d)[winograd::seen]) {
  using namespace winograd;
  using v = vec<Arch>;
  const auto less = [](const v& x, float times, const v& y) { return Arch::fma(v(-times), y, x); };
  const v zero = less(d[0] + d[4], inner.square + outer.square, d[2]),
          infinity = less(d[1] + d[5], inner.square + outer.square, d[3]);
  const v inner_even = less(d[4], outer.square, d[2]), inner_odd = less(d[3], outer.square, d[1]);
  const v outer_even = less(d[4], inner.square, d[2]), outer_odd = less(d[3], inner.square, d[1]);
  d[0] = zero, d[5] = infinity;
  d[1] = less(inner_even, -inner.value, inner_odd), d[2] = less(inner_even, inner.value, inner_odd);
  d[3] = less(outer_even, -outer.value, outer_odd), d[4] = less(outer_even, outer.value, outer_odd);
}

/// Outputs of six products, in place.
template <class Arch, size_t outputs>
[[gnu::always_inline]] inline void turn_back(vec<Arch> (&m)[winograd::seen]) {
  using namespace winograd;
  using v = vec<Arch>;
  const v inner_sum = m[1] + m[2], inner_difference = m[1] - m[2], outer_sum = m[3] + m[4],
          outer_difference = m[3] - m[4], infinity = m[5];
  m[0] = m[0] + inner_sum + outer_sum;
  for_constants<outputs - 1>([&](auto i) {
    constexpr size_t n = i + 1;
    const v &by_inner = n % 2 == 0 ? inner_sum : inner_difference,
            &by_outer = n % 2 == 0 ? outer_sum : outer_difference;
    const v scaled(inner.power(n));
    m[n] = Arch::fma(v(outer.power(n)), by_outer,
                     n + 1 == outputs ? Arch::fma(scaled, by_inner, infinity) : scaled * by_inner);
  });
}

/// The products of `count` tiles, of which `own` has what is multiplied, with `columns` columns of panel `at`.
template <class Arch>
inline void multiply_tiles(const convolution_args& a, const winograd_scratch_of<Arch>& own, float* scratch,
                           size_t count, size_t at, size_t columns) {
  constexpr size_t packed = panel<Arch>, block = block_rows<Arch>;
  using functions = multiply_functions<Arch, product_of::windows, false, weight_format::f32,
                                       std::make_index_sequence<block>>;
  const auto& multiplied = columns <= width<Arch> ? functions::vector : functions::whole;
  const size_t of_product = panel_floats(packed, a.columns, own.features);
  const size_t fetched = packed * sizeof(float) / ceil_div(count, block); // of the next product, each time
  const float* rows[block];
  block_sums sums{};
  sums.a = rows, sums.depth = own.features, sums.to_stride = packed;
  for (size_t k = 0; k < own.products; ++k) {
    const float *const weights = a.weights + k * of_product + at * packed * own.features,
                       *row = own.turned(scratch) + k * own.turned_floats;
    sums.weights = reinterpret_cast<const unsigned char*>(weights);
    sums.next = {k + 1 < own.products ? weights + of_product : weights, fetched};
    sums.to = own.sums(scratch) + k * own.sum_floats;
    for (size_t left = count, here; left > 0; left -= here) {
      here = next_block(left, block);
      for (size_t r = 0; r < here; ++r, row += own.features) rows[r] = row;
      multiplied[here - 1](sums);
      sums.to += here * packed;
      sums.next.at += fetched * own.features;
    }
  }
}

} // namespace fovea::core::simd::detail
