#pragma once

// Reading the weights of a panel (panel_layout.hpp): decoded in registers to exactly the float32 values that
// they stand for.

#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/panel_layout.hpp>
#include <fovea/base/half.hpp>

namespace fovea::core::simd {

namespace detail {

/// A vector of the scales of a layout.
template <class Arch, class layout>
[[gnu::always_inline]] inline vec<Arch> load_scales(const unsigned char* from) {
  if constexpr (layout::scaled_by_row)
    return Arch::load(reinterpret_cast<const float*>(from));
  else
    return Arch::load_half(from);
}

/// The weights of `vectors` vectors of columns, a panel each two.
template <class Arch, weight_format format, size_t vectors, size_t packed>
struct weight_reader {
  using layout = panel_layout<format>;
  const unsigned char* panels;
  size_t panel_bytes;       // from one panel to the next
  size_t scales_before = 0; // bytes of scales before the weights of the group
  vec<Arch> scale[layout::scaled ? vectors : 1] = {};

  static constexpr size_t column(size_t v) { return v % 2 * width<Arch>; }

  /// To be called before the first k of each group; one that has no groups is one.
  [[gnu::always_inline]] void begin_group(size_t k) {
    if constexpr (layout::scaled) {
      for_constants<vectors>([&](auto v) {
        scale[v] = load_scales<Arch, layout>(panels + v / 2 * panel_bytes + layout::scales(packed, k) +
                                             layout::scale_bytes * column(v));
      });
      scales_before = layout::scales_before(packed, k);
    }
  }
  [[gnu::always_inline]] vec<Arch> at(size_t k, size_t v) const {
    const unsigned char* row = panels + v / 2 * panel_bytes + k * layout::row_bytes(packed) + scales_before;
    if constexpr (format == weight_format::f32)
      return vec<Arch>::load_aligned(reinterpret_cast<const float*>(row) + column(v));
    else if constexpr (format == weight_format::f16)
      return Arch::load_half(row + 2 * column(v));
    else if constexpr (format == weight_format::bf16)
      return Arch::load_bfloat(row + 2 * column(v));
    else if constexpr (!layout::of_4_bits)
      return Arch::to_float(Arch::load_int8(row + column(v))) * scale[v];
    else
      return Arch::nibble_less_8(Arch::load_uint8(row), v % 2 * 4) * scale[v];
  }
};

/// One weight.
template <weight_format format>
inline float weight_at(const unsigned char* panel, size_t packed, size_t k, size_t column) {
  using layout = panel_layout<format>;
  const unsigned char* at = panel + layout::place(packed, k, column);
  const auto read_float = [](const unsigned char* from) {
    float x;
    std::memcpy(&x, from, sizeof x);
    return x;
  };
  const auto read_half = [](const unsigned char* from) {
    std::uint16_t half;
    std::memcpy(&half, from, sizeof half);
    return from_half(half);
  };
  if constexpr (format == weight_format::f32) {
    return read_float(at);
  } else if constexpr (format == weight_format::f16) {
    return read_half(at);
  } else if constexpr (format == weight_format::bf16 || format == weight_format::rounded_bf16) {
    std::uint16_t high;
    std::memcpy(&high, at, sizeof high);
    return from_bfloat(high);
  } else {
    const unsigned char* from = panel + layout::scales(packed, k) + layout::scale_bytes * column;
    const float scale = layout::scaled_by_row ? read_float(from) : read_half(from);
    if constexpr (layout::of_4_bits)
      return scale * static_cast<float>((*at >> (layout::is_low(packed, column) ? 0 : 4) & 15) - 8);
    else
      return scale * static_cast<float>(static_cast<signed char>(*at));
  }
}

} // namespace detail

} // namespace fovea::core::simd
