#pragma once

// Writing the weights of a panel (panel_layout.hpp), and reading them: decoded in registers to exactly the
// float32 values that they stand for.

#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/panel_layout.hpp>
#include <fovea/base/half.hpp>

namespace fovea::core::simd {

namespace detail {

/// A number as it lies in memory.
template <class number>
inline number read_as(const unsigned char* from) {
  number read;
  std::memcpy(&read, from, sizeof read);
  return read;
}

/// How values lie in a row of a panel, by the type that files have them as; scales aside.
///   put     value i of what a file has behind a scale goes to its byte; `low`: to the lower half of it
///   vector  vector v of the two in a row
///   one     the value at a byte
///   above   what bits of a group that lie ahead of its rows add to value i of it
template <element_type stored>
struct panel_values;

/// Values of whole bytes lie there as in a file.
template <size_t bytes>
struct whole_values {
  static void put(const std::byte* of, size_t i, std::byte* to, bool) {
    std::memcpy(to, of + i * bytes, bytes);
  }
};

template <>
struct panel_values<element_type::f32> : whole_values<4> {
  template <class Arch>
  static vec<Arch> vector(const unsigned char* row, size_t v) {
    return vec<Arch>::load_aligned(reinterpret_cast<const float*>(row) + v * width<Arch>);
  }
  static float one(const unsigned char* at, bool) { return read_as<float>(at); }
};

template <>
struct panel_values<element_type::f16> : whole_values<2> {
  template <class Arch>
  static vec<Arch> vector(const unsigned char* row, size_t v) {
    return Arch::load_half(row + 2 * v * width<Arch>);
  }
  static float one(const unsigned char* at, bool) { return from_half(read_as<std::uint16_t>(at)); }
};

template <>
struct panel_values<element_type::bf16> : whole_values<2> {
  template <class Arch>
  static vec<Arch> vector(const unsigned char* row, size_t v) {
    return Arch::load_bfloat(row + 2 * v * width<Arch>);
  }
  static float one(const unsigned char* at, bool) { return from_bfloat(read_as<std::uint16_t>(at)); }
};

template <>
struct panel_values<element_type::i8> : whole_values<1> {
  template <class Arch>
  static vec<Arch> vector(const unsigned char* row, size_t v) {
    return Arch::to_float(Arch::load_int8(row + v * width<Arch>));
  }
  static float one(const unsigned char* at, bool) { return static_cast<float>(read_as<signed char>(at)); }
};

template <>
struct panel_values<element_type::q8_0> : panel_values<element_type::i8> {};

template <>
struct panel_values<element_type::q4_0> {
  static void put(const std::byte* of, size_t i, std::byte* to, bool low) {
    constexpr size_t half = weight_group / 2; // by halves there too, of the group
    *to |= ((of[i % half] >> (i < half ? 0 : 4)) & std::byte{15}) << (low ? 0 : 4);
  }
  template <class Arch>
  static vec<Arch> vector(const unsigned char* row, size_t v) {
    return Arch::nibble_less_8(Arch::load_uint8(row), static_cast<int>(v) * 4);
  }
  static float one(const unsigned char* at, bool low) {
    return static_cast<float>((*at >> (low ? 0 : 4) & 15) - 8);
  }
};

template <>
struct panel_values<element_type::q5_0> : panel_values<element_type::q4_0> {
  static void put(const std::byte* of, size_t i, std::byte* to, bool low) {
    panel_values<element_type::q4_0>::put(of + weight_group / 8, i, to, low);
  }
  /// 8 where the fifth bit is set, else -8: the float's sign is the bit's opposite.
  template <class Arch>
  static vec<Arch> above(const int_vec<Arch>& fifths, size_t i) {
    const auto sign = static_cast<std::int32_t>(0x80000000u),
               minus_8 = static_cast<std::int32_t>(0xc1000000u);
    const int_vec<Arch> top = fifths << static_cast<std::int32_t>(weight_group - 1 - i);
    return Arch::from_bits((top & int_vec<Arch>(sign)) ^ int_vec<Arch>(minus_8));
  }
  static float above(std::uint32_t fifths, size_t i) { return fifths >> i & 1 ? 8.f : -8.f; }
};

/// Up to 32 weights of a column, from row k on, as files store them, go to their places in the panel.
template <weight_format format>
inline void put_group(const std::byte* stored, std::byte* panel, size_t packed, size_t column, size_t k,
                      size_t count) {
  using layout = panel_layout<format>;
  if constexpr (layout::grouped) {
    std::memcpy(panel + layout::scales(packed, k) + column * layout::scale_bytes, stored,
                layout::scale_bytes);
    stored += layout::scale_bytes;
    std::memcpy(panel + layout::above(packed, k) + column * layout::above_bytes, stored, layout::above_bytes);
  }
  for (size_t i = 0; i < count; ++i)
    panel_values<layout::stored>::put(stored, i, panel + layout::place(packed, k + i, column),
                                      layout::is_low(packed, column));
}

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
  int_vec<Arch> above[layout::above_bits > 0 ? vectors : 1] = {};

  static constexpr size_t column(size_t v) { return v % 2 * width<Arch>; }

  /// To be called before the first k of each group; one that has no groups is one.
  [[gnu::always_inline]] void begin_group(size_t k) {
    if constexpr (layout::scaled) {
      for_constants<vectors>([&](auto v) {
        scale[v] = load_scales<Arch, layout>(panels + v / 2 * panel_bytes + layout::scales(packed, k) +
                                             layout::scale_bytes * column(v));
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
    vec<Arch> values = panel_values<layout::stored>::template vector<Arch>(row, v % 2);
    if constexpr (layout::above_bits > 0)
      values = values + panel_values<layout::stored>::template above<Arch>(above[v], k % weight_group);
    if constexpr (layout::scaled)
      return values * scale[v];
    else
      return values;
  }
};

/// One weight.
template <weight_format format>
inline float weight_at(const unsigned char* panel, size_t packed, size_t k, size_t column) {
  using layout = panel_layout<format>;
  const unsigned char* at = panel + layout::place(packed, k, column);
  float value = panel_values<layout::stored>::one(at, layout::is_low(packed, column));
  if constexpr (layout::above_bits > 0)
    value += panel_values<layout::stored>::above(
        read_as<std::uint32_t>(panel + layout::above(packed, k) + layout::above_bytes * column),
        k % weight_group);
  if constexpr (!layout::scaled) return value;
  const unsigned char* scale = panel + layout::scales(packed, k) + layout::scale_bytes * column;
  return value * (layout::scaled_by_row ? read_as<float>(scale) : from_half(read_as<std::uint16_t>(scale)));
}

} // namespace detail

} // namespace fovea::core::simd
