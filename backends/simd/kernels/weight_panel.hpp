#pragma once

// Reading the weights of a panel (weights/panel_layout.hpp): decoded in registers to exactly the float32 values that they
// stand for.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/weights/panel_values.hpp>

namespace fovea::core::simd {

namespace detail {

/// How far ahead one row fetches weights, in bytes.
inline constexpr size_t weights_ahead = 1024;

/// Fetches so many bytes for one row: by AVX2 on a Zen 3 weights from memory took 0.86 to 0.98 of the time.
template <class Arch, size_t rows, size_t bytes>
[[gnu::always_inline]] inline void fetch_ahead(const unsigned char* weights) {
  if constexpr (rows == 1 && width<Arch> == 8)
    for_constants<bytes / 64>([&](auto line) __attribute__((always_inline)) {
      __builtin_prefetch(weights + weights_ahead + 64 * line);
    });
}

/// Vector v of the two in a row of a panel, by the type that files have values as; scales aside. `above` is what bits of a
/// group that lie ahead of its rows add to its value i; with_above has both.
template <element_type stored>
struct panel_vectors;

template <>
struct panel_vectors<element_type::f32> {
  template <class Arch>
  static vec<Arch> vector(const unsigned char* row, size_t v) {
    return vec<Arch>::load_aligned(reinterpret_cast<const float*>(row) + v * width<Arch>);
  }
};

template <>
struct panel_vectors<element_type::f16> {
  template <class Arch>
  static vec<Arch> vector(const unsigned char* row, size_t v) {
    return Arch::load_half(row + 2 * v * width<Arch>);
  }
};

template <>
struct panel_vectors<element_type::bf16> {
  template <class Arch>
  static vec<Arch> vector(const unsigned char* row, size_t v) {
    return Arch::load_bfloat(row + 2 * v * width<Arch>);
  }
};

template <>
struct panel_vectors<element_type::i8> {
  template <class Arch>
  static vec<Arch> vector(const unsigned char* row, size_t v) {
    return Arch::to_float(Arch::load_int8(row + v * width<Arch>));
  }
};

template <>
struct panel_vectors<element_type::q8_0> : panel_vectors<element_type::i8> {};

template <>
struct panel_vectors<element_type::q4_0> {
  template <class Arch>
  static vec<Arch> vector(const unsigned char* row, size_t v) {
    return Arch::nibble_less_8(Arch::load_uint8(row), static_cast<int>(v) * 4);
  }
};

template <>
struct panel_vectors<element_type::q5_0> : panel_vectors<element_type::q4_0> {
  /// 8 where the fifth bit is set, else -8: the float's sign is the bit's opposite.
  template <class Arch>
  static vec<Arch> above(const int_vec<Arch>& fifths, size_t i) {
    const auto sign = static_cast<std::int32_t>(0x80000000u),
               minus_8 = static_cast<std::int32_t>(0xc1000000u);
    const int_vec<Arch> top = fifths << static_cast<std::int32_t>(weight_group - 1 - i);
    return Arch::from_bits((top & int_vec<Arch>(sign)) ^ int_vec<Arch>(minus_8));
  }
};

/// The nibbles of vector v, in the lanes' lowest bits.
template <class Arch>
[[gnu::always_inline]] inline int_vec<Arch> nibbles(const unsigned char* row, size_t v) {
  const int_vec<Arch> two = Arch::load_uint8(row);
  return v == 0 ? two & int_vec<Arch>(15) : two >> 4;
}

template <>
struct panel_vectors<element_type::q4_k> {
  template <class Arch>
  static vec<Arch> vector(const unsigned char* row, size_t v) {
    return Arch::to_float(nibbles<Arch>(row, v));
  }
};

template <>
struct panel_vectors<element_type::q6_k> {
  template <class Arch>
  static vec<Arch> with_above(const unsigned char* row, size_t v, const int_vec<Arch>& bits, size_t i) {
    const int_vec<Arch> two = bits >> panel_values<element_type::q6_k>::place_above(i) & int_vec<Arch>(3);
    return Arch::to_float(nibbles<Arch>(row, v) | two << 4);
  }
};

/// A vector of the scales of a layout.
template <class Arch, class layout>
[[gnu::always_inline]] inline vec<Arch> load_scales(const unsigned char* from) {
  if constexpr (layout::scaled_by_row)
    return Arch::load(reinterpret_cast<const float*>(from));
  else
    return Arch::load_half(from);
}

/// A vector of the scales of a group of a K block, and of its minima: what is subtracted of a whole number times
/// its scale. Both are exact.
template <class Arch>
struct k_group {
  vec<Arch> scale, minimum;

  template <class layout, size_t packed>
  [[gnu::always_inline]] static k_group of(const unsigned char* from, size_t k, size_t column) {
    using values = panel_values<layout::stored>;
    const auto word = [&](size_t which) __attribute__((always_inline)) {
      return Arch::load_bytes(from + layout::word(packed, k, which, column));
    };
    const size_t group = k % layout::block / layout::together;
    const vec<Arch> scale = Arch::load_half(from + layout::half(packed, k, 0, column)) *
                            Arch::to_float(values::template scale<int_vec<Arch>>(word, group));
    if constexpr (layout::halves == 2)
      return {scale, Arch::load_half(from + layout::half(packed, k, 1, column)) *
                         Arch::to_float(values::template minimum<int_vec<Arch>>(word, group))};
    else
      return {scale, scale * vec<Arch>(values::zero)};
  }
};

/// The weights of `vectors` vectors of columns, a panel each two.
template <class Arch, weight_format format, size_t vectors, size_t packed>
struct weight_reader {
  using layout = panel_layout<format>;
  const unsigned char* panels;
  size_t panel_bytes;       // from one panel to the next
  size_t scales_before = 0; // bytes of scales before the weights of the group
  vec<Arch> scale[layout::scaled ? vectors : 1] = {};
  vec<Arch> less[layout::in_k_blocks ? vectors : 1] = {}; // the minima, with the other sign
  int_vec<Arch> above[layout::above_bits > 0 ? vectors : 1] = {};

  static constexpr size_t column(size_t v) { return v % 2 * width<Arch>; }

  /// To be called before the first k of each group; one that has no groups is one.
  [[gnu::always_inline]] void begin_group(size_t k) {
    if constexpr (layout::scaled) {
      for_constants<vectors>([&](auto v) {
        const unsigned char* from = panels + v / 2 * panel_bytes;
        if constexpr (layout::in_k_blocks) {
          const auto group = k_group<Arch>::template of<layout, packed>(from, k, column(v));
          scale[v] = group.scale, less[v] = -group.minimum;
        } else {
          scale[v] =
              load_scales<Arch, layout>(from + layout::scales(packed, k) + layout::scale_bytes * column(v));
        }
      });
      if constexpr (layout::above_bits > 0)
        for_constants<vectors>([&](auto v) {
          above[v] = Arch::load_bytes(panels + v / 2 * panel_bytes + layout::above(packed, k) +
                                      layout::above_bytes * column(v));
        });
      scales_before = layout::scales_before(packed, k);
    }
  }
  [[gnu::always_inline]] vec<Arch> at(size_t k, size_t v) const {
    const unsigned char* row = panels + v / 2 * panel_bytes + k * layout::row_bytes(packed) + scales_before;
    using vectors_of = panel_vectors<layout::stored>;
    vec<Arch> values;
    if constexpr (layout::in_k_blocks && layout::above_bits > 0)
      values = vectors_of::template with_above<Arch>(row, v % 2, above[v], k % layout::together);
    else
      values = vectors_of::template vector<Arch>(row, v % 2);
    if constexpr (!layout::in_k_blocks && layout::above_bits > 0)
      values = values + vectors_of::template above<Arch>(above[v], k % layout::together);
    if constexpr (layout::in_k_blocks)
      return Arch::fma(values, scale[v], less[v]);
    else if constexpr (layout::scaled)
      return values * scale[v];
    else
      return values;
  }
};

} // namespace detail

} // namespace fovea::core::simd
