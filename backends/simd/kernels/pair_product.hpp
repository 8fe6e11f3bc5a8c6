#pragma once

// The products of rounded_product.hpp where an instruction sums them two by two in 16 bits: what fits these is summed
// there, before it joins the sums of 32 bits. Each of the functions multiplies by the columns of a panel:
// out[rows, packed] = bias + rows from `row` on * those.

#include <cstdint>
#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/limited_rows.hpp>
#include <fovea/backends/simd/kernels/panel.hpp>
#include <fovea/backends/simd/kernels/rounded_rows.hpp>
#include <fovea/backends/simd/kernels/weight_panel.hpp>
#include <utility>

namespace fovea::core::simd::detail {

/// Whether a dot product has sums of 16 bits for the weights of a layout, which are of 0 to 15: with numbers of -127 to
/// 127 all products of a group fit them.
///   pairs(w, numbers)           products in 16 bits, two by two
///   add_pairs                   sums of them
///   add_sum_of_pairs(sum, x)    sum + these in 32 bits
template <class dot, class layout>
concept sums_pairs = layout::grouped && layout::bits == 4 && requires(const typename dot::sums& x) {
  dot::add_sum_of_pairs(x, dot::add_pairs(x, x));
};

/// By weights of 0 to 15. One vector of columns behind the other, for registers are few.
template <class Arch, class dot, class layout, size_t rows>
inline void multiply_pairs(const rounded_rows& x, size_t row, const unsigned char* panel_of_weights,
                           const float* bias, float* out, size_t out_stride) {
  using sums = typename dot::sums;
  constexpr size_t packed = panel<Arch>, bytes = rounded_rows::group_bytes, lanes = bytes / 4;
  static_assert(layout::together == bytes && lanes * 2 * 15 * 127 < 1 << 15);
  for_constants<packed / width<Arch>>([&](auto v) __attribute__((always_inline)) {
    constexpr size_t column = v * width<Arch>;
    vec<Arch> sum[rows];
    for_constants<rows>([&](auto r) __attribute__((always_inline)) { sum[r] = Arch::load(bias + column); });
    for (size_t g = 0; g < x.groups; ++g) {
      const size_t at = row * x.groups + g * rows, k = g * bytes;
      const unsigned char* weights = panel_of_weights + layout::place(packed, k, 0);
      if constexpr (v == 0) fetch_ahead<Arch, rows, bytes * packed / 2>(weights);
      sums pairs[rows];
      for_constants<lanes>([&](auto lane) __attribute__((always_inline)) {
        const int_vec<Arch> two = Arch::load_bytes(weights + lane * 2 * packed);
        const auto w = dot::ready((v == 0 ? two : two >> 4) & int_vec<Arch>(0x0f0f0f0f));
        for_constants<rows>([&](auto r) __attribute__((always_inline)) {
          std::int32_t number;
          std::memcpy(&number, x.bytes + (at + r) * bytes + 4 * lane, sizeof number);
          const sums more = dot::pairs(w, int_vec<Arch>(number));
          if constexpr (lane == 0)
            pairs[r] = more;
          else
            pairs[r] = dot::add_pairs(pairs[r], more);
        });
      });
      const auto add_scaled = [&](const vec<Arch>& scale, const auto& begin, const auto& more)
          __attribute__((always_inline)) {
        for_constants<rows>([&](auto r) __attribute__((always_inline)) {
          const sums whole = dot::add_sum_of_pairs(begin(at + r), pairs[r]);
          sum[r] = Arch::fma(Arch::to_float(whole), scale * vec<Arch>(x.scales[at + r]), sum[r]);
          more(sum[r], at + r);
        });
      };
      if constexpr (layout::in_k_blocks) {
        const auto of = k_group<Arch>::template of<layout, packed>(panel_of_weights, k, column);
        add_scaled(
            of.scale, [](size_t) { return sums(0); },
            [&](vec<Arch>& to, size_t i) { to = Arch::fma(of.minimum, vec<Arch>(x.less[i]), to); });
      } else {
        add_scaled(
            load_scales<Arch, layout>(panel_of_weights + layout::scales(packed, k) +
                                      column * layout::scale_bytes),
            [&](size_t i) { return sums(x.below[i]) << dot::excess; }, [](vec<Arch>&, size_t) {});
      }
    }
    for_constants<rows>([&](auto r) __attribute__((always_inline)) {
      Arch::store(out + r * out_stride + column, sum[r]);
    });
  });
}

/// By weights of eight bits whose scales are of whole rows, where the rows are within the limit. x holds all_rows.
template <class Arch, class dot, class layout, size_t rows>
inline void multiply_limited(const rounded_rows& x, size_t all_rows, size_t row,
                             const unsigned char* panel_of_weights, const float* bias, float* out,
                             size_t out_stride) {
  constexpr size_t packed = panel<Arch>, vectors = packed / width<Arch>;
  typename dot::sums sums[rows][vectors];
  for_constants<rows * vectors>([&](auto i) __attribute__((always_inline)) {
    sums[i / vectors][i % vectors] = typename dot::sums(x.below[row + i / vectors]) << dot::excess;
  });
  // Adds the products of eight numbers of `count` rows from `first` on.
  const auto add_eight = [&]<size_t first, size_t count>(size_t place, const unsigned char* numbers,
                                                         std::index_sequence<first, count>)
      __attribute__((always_inline)) {
    const unsigned char* from = panel_of_weights + layout::place(packed, 8 * place, 0);
    typename dot::sums weights[2 * vectors];
    for_constants<2 * vectors>([&](auto i) __attribute__((always_inline)) {
      weights[i] = dot::ready(Arch::load_bytes(from + i * 4 * width<Arch>));
    });
    for_constants<count>([&](auto r) __attribute__((always_inline)) {
      std::int32_t lanes[2];
      std::memcpy(lanes, numbers + r * limited_row::group_bytes, sizeof lanes);
      const int_vec<Arch> low(lanes[0]), high(lanes[1]);
      for_constants<vectors>([&](auto v) __attribute__((always_inline)) {
        auto& sum = sums[first + r][v];
        sum = dot::add_sum_of_pairs(
            sum, dot::add_pairs(dot::pairs(weights[v], low), dot::pairs(weights[vectors + v], high)));
      });
    });
  };
  constexpr size_t bytes = limited_row::group_bytes, places = limited_row::places;
  for (size_t g = 0; g < x.groups; ++g) {
    fetch_ahead<Arch, rows, bytes * packed>(panel_of_weights + layout::place(packed, g * bytes, 0));
    for_constants<places>([&](auto s) __attribute__((always_inline)) {
      add_eight(g * places + s, x.bytes + (row * x.groups + g * rows) * bytes + 8 * s,
                std::index_sequence<0, rows>{});
    });
  }
  for_constants<rows>([&](auto r) __attribute__((always_inline)) {
    const limited_row limited(x, all_rows, row + r, row, rows);
    limited.for_beyond([&](size_t place, const unsigned char* numbers) __attribute__((always_inline)) {
      add_eight(place, numbers, std::index_sequence<r, 1>{});
    });
  });
  for_constants<rows * vectors>([&](auto i) __attribute__((always_inline)) {
    constexpr size_t r = i / vectors, v = i % vectors;
    const vec<Arch> scale =
        load_scales<Arch, layout>(panel_of_weights + v * width<Arch> * layout::scale_bytes);
    Arch::store(out + r * out_stride + v * width<Arch>,
                Arch::fma(Arch::to_float(sums[r][v]), scale * vec<Arch>(x.scales[row + r]),
                          Arch::load(bias + v * width<Arch>)));
  });
}

} // namespace fovea::core::simd::detail
