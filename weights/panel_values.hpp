#pragma once

// Writing the weights of a panel (panel_layout.hpp), and reading one: exactly the float32 value that it stands for.
// Kernels have this of every set: nothing here allocates or throws.

#include <cstring>
#include <fovea/base/half.hpp>
#include <fovea/weights/panel_layout.hpp>

namespace fovea::core {

/// A number as it lies in memory.
template <class number>
inline number read_as(const unsigned char* from) {
  number read;
  std::memcpy(&read, from, sizeof read);
  return read;
}

/// How values lie in a row of a panel, by the type that files have them as; scales aside.
///   put    value i of what a file has behind a scale goes to its byte; `low`: to the lower half of it
///   one    the value at a byte
///   above  what bits of a group that lie ahead of its rows add to value i of it
template <element_type stored>
struct panel_values;

/// Values of whole bytes lie there as in a file.
template <std::size_t bytes>
struct whole_values {
  static void put(const std::byte* of, std::size_t i, std::byte* to, bool) {
    std::memcpy(to, of + i * bytes, bytes);
  }
};

template <>
struct panel_values<element_type::f32> : whole_values<4> {
  static float one(const unsigned char* at, bool) { return read_as<float>(at); }
};

template <>
struct panel_values<element_type::f16> : whole_values<2> {
  static float one(const unsigned char* at, bool) { return from_half(read_as<std::uint16_t>(at)); }
};

template <>
struct panel_values<element_type::bf16> : whole_values<2> {
  static float one(const unsigned char* at, bool) { return from_bfloat(read_as<std::uint16_t>(at)); }
};

template <>
struct panel_values<element_type::i8> : whole_values<1> {
  static float one(const unsigned char* at, bool) { return static_cast<float>(read_as<signed char>(at)); }
};

template <>
struct panel_values<element_type::q8_0> : panel_values<element_type::i8> {};

template <>
struct panel_values<element_type::q4_0> {
  static void put(const std::byte* of, std::size_t i, std::byte* to, bool low) {
    constexpr std::size_t half = weight_group / 2; // by halves there too, of the group
    *to |= ((of[i % half] >> (i < half ? 0 : 4)) & std::byte{15}) << (low ? 0 : 4);
  }
  static float one(const unsigned char* at, bool low) {
    return static_cast<float>((*at >> (low ? 0 : 4) & 15) - 8);
  }
};

template <>
struct panel_values<element_type::q5_0> : panel_values<element_type::q4_0> {
  static void put(const std::byte* of, std::size_t i, std::byte* to, bool low) {
    panel_values<element_type::q4_0>::put(of + weight_group / 8, i, to, low);
  }
  static float above(std::uint32_t fifths, std::size_t i) { return fifths >> i & 1 ? 8.f : -8.f; }
};

/// Up to 32 weights of a column, from row k on, as files store them, go to their places in the panel.
template <weight_format format>
inline void put_group(const std::byte* stored, std::byte* panel, std::size_t packed, std::size_t column,
                      std::size_t k, std::size_t count) {
  using layout = panel_layout<format>;
  if constexpr (layout::grouped) {
    std::memcpy(panel + layout::scales(packed, k) + column * layout::scale_bytes, stored,
                layout::scale_bytes);
    stored += layout::scale_bytes;
    std::memcpy(panel + layout::above(packed, k) + column * layout::above_bytes, stored, layout::above_bytes);
  }
  for (std::size_t i = 0; i < count; ++i)
    panel_values<layout::stored>::put(stored, i, panel + layout::place(packed, k + i, column),
                                      layout::is_low(packed, column));
}

/// One weight.
template <weight_format format>
inline float weight_at(const unsigned char* panel, std::size_t packed, std::size_t k, std::size_t column) {
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

} // namespace fovea::core
