#pragma once

// Writing the weights of a panel (panel_layout.hpp), and reading one: exactly the float32 value that it stands for.
// Kernels have this of every set: nothing here allocates or throws.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fovea/base/half.hpp>
#include <fovea/weights/k_blocks.hpp>
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
///   put         value i of a block of a file goes to its byte; `low`: to the lower half of it
///   one         the value at a byte
///   bits_above  what a block has of a group that lies ahead of its rows
///   above       what these bits add to value i of the group
template <element_type stored>
struct panel_values;

/// Values of whole bytes lie there as in a file, behind `before` others.
template <std::size_t bytes, std::size_t before = 0>
struct whole_values {
  static void put(const std::byte* of, std::size_t i, std::byte* to, bool) {
    std::memcpy(to, of + before + i * bytes, bytes);
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
struct panel_values<element_type::q8_0> : whole_values<1, 2> {
  static float one(const unsigned char* at, bool low) { return panel_values<element_type::i8>::one(at, low); }
};

/// Four bits of each value in a row.
struct nibble_values {
  static void put_nibble(int nibble, std::byte* to, bool low) {
    *to |= static_cast<std::byte>((nibble & 15) << (low ? 0 : 4));
  }
  static int nibble(const unsigned char* at, bool low) { return *at >> (low ? 0 : 4) & 15; }
};

template <>
struct panel_values<element_type::q4_0> : nibble_values {
  static void put(const std::byte* of, std::size_t i, std::byte* to, bool low) {
    put_behind(of + 2, i, to, low);
  }
  static float one(const unsigned char* at, bool low) { return static_cast<float>(nibble(at, low) - 8); }

protected:
  static void put_behind(const std::byte* of, std::size_t i, std::byte* to, bool low) {
    constexpr std::size_t half = weight_group / 2; // by halves there too, of the group
    put_nibble(std::to_integer<int>(of[i % half]) >> (i < half ? 0 : 4), to, low);
  }
};

template <>
struct panel_values<element_type::q5_0> : panel_values<element_type::q4_0> {
  static void put(const std::byte* of, std::size_t i, std::byte* to, bool low) {
    put_behind(of + 2 + weight_group / 8, i, to, low);
  }
  static std::uint32_t bits_above(const std::byte* of, std::size_t) {
    return read_as<std::uint32_t>(reinterpret_cast<const unsigned char*>(of) + 2);
  }
  static float above(std::uint32_t fifths, std::size_t i) { return fifths >> i & 1 ? 8.f : -8.f; }
};

/// The scales of a K block as they lie in a panel.
struct k_scales {
  std::uint16_t halves[2];
  std::uint32_t words[4];
};

// And what a value is made of there, integers being those of a column or a vector of them, of what word(which) gives:
//   scale    of a group, times the first float16 number
//   minimum  the same, times the second, or where there is one alone how many scales stand for zero

template <>
struct panel_values<element_type::q4_k> : nibble_values {
  using block = gguf_blocks::q4_k;

  static k_scales scales(const block& of) {
    k_scales made{{of.scale, of.minimum}, {}};
    for (std::size_t g = 0; g < 8; ++g) {
      const auto scale = static_cast<std::uint32_t>(of.lines.scale(g)),
                 minimum = static_cast<std::uint32_t>(of.lines.minimum(g));
      made.words[0] |= (scale & 15) << 4 * g;
      made.words[1] |= (minimum & 15) << 4 * g;
      made.words[2] |= (scale >> 4 | minimum >> 4 << 2) << 4 * g;
    }
    return made;
  }
  static void put(const std::byte* of, std::size_t i, std::byte* to, bool low) {
    const std::byte pair = of[offsetof(block, numbers) + i / 64 * 32 + i % 32];
    put_nibble(std::to_integer<int>(pair) >> (i / 32 % 2 * 4), to, low);
  }
  static float one(const unsigned char* at, bool low) { return static_cast<float>(nibble(at, low)); }

  template <class integers, class F>
  static integers scale(const F& word, std::size_t group) {
    const auto at = static_cast<std::int32_t>(4 * group);
    return (word(0) >> at & integers(15)) | (word(2) >> at & integers(3)) << 4;
  }
  template <class integers, class F>
  static integers minimum(const F& word, std::size_t group) {
    const auto at = static_cast<std::int32_t>(4 * group);
    return (word(1) >> at & integers(15)) | (word(2) >> at & integers(12)) << 2;
  }
};

template <>
struct panel_values<element_type::q6_k> : nibble_values {
  using block = gguf_blocks::q6_k;
  static constexpr float zero = 32;

  static k_scales scales(const block& of) {
    k_scales made{{of.scale}, {}};
    for (std::size_t g = 0; g < of.groups.size(); ++g)
      made.words[g / 4] |= std::uint32_t{static_cast<std::uint8_t>(of.groups[g])} << g % 4 * 8;
    return made;
  }
  static void put(const std::byte* of, std::size_t i, std::byte* to, bool low) {
    const std::byte pair = of[offsetof(block, low) + i / 128 * 64 + i % 64];
    put_nibble(std::to_integer<int>(pair) >> (i / 64 % 2 * 4), to, low);
  }
  static constexpr std::int32_t place_above(std::size_t i) {
    return static_cast<std::int32_t>(i % 4 * 8 + i / 4 * 2);
  }
  static std::uint32_t bits_above(const std::byte* of, std::size_t group) {
    std::uint32_t made = 0;
    for (std::size_t i = 0; i < 16; ++i) {
      const std::size_t at = group * 16 + i;
      const auto four = std::to_integer<std::uint32_t>(of[offsetof(block, high) + at / 128 * 32 + at % 32]);
      made |= (four >> at / 32 % 4 * 2 & 3) << place_above(i);
    }
    return made;
  }
  static float one(const unsigned char* at, bool low) { return static_cast<float>(nibble(at, low)); }
  static float above(std::uint32_t bits, std::size_t i) {
    return static_cast<float>((bits >> place_above(i) & 3) << 4);
  }

  template <class integers, class F>
  static integers scale(const F& word, std::size_t group) {
    return word(group / 4) << static_cast<std::int32_t>(24 - group % 4 * 8) >> 24;
  }
};

/// Up to a block of weights of a column, from row k on, as files store them, go to their places in the panel.
template <weight_format format>
inline void put_block(const std::byte* stored, std::byte* panel, std::size_t packed, std::size_t column,
                      std::size_t k, std::size_t count) {
  using layout = panel_layout<format>;
  using values = panel_values<layout::stored>;
  if constexpr (layout::in_k_blocks) {
    typename values::block block;
    std::memcpy(&block, stored, sizeof block);
    const k_scales scales = values::scales(block);
    for (std::size_t i = 0; i < layout::halves; ++i)
      std::memcpy(panel + layout::half(packed, k, i, column), &scales.halves[i], sizeof scales.halves[i]);
    for (std::size_t i = 0; i < layout::words; ++i)
      std::memcpy(panel + layout::word(packed, k, i, column), &scales.words[i], sizeof scales.words[i]);
  } else if constexpr (layout::grouped) {
    std::memcpy(panel + layout::half(packed, k, 0, column), stored, layout::scale_bytes);
  }
  if constexpr (layout::above_bits > 0)
    for (std::size_t i = 0; i < count; i += layout::together) {
      const std::uint32_t above = values::bits_above(stored, i / layout::together);
      std::memcpy(panel + layout::above(packed, k + i) + column * sizeof above, &above, sizeof above);
    }
  for (std::size_t i = 0; i < count; ++i)
    values::put(stored, i, panel + layout::place(packed, k + i, column), layout::is_low(packed, column));
}

/// One weight.
template <weight_format format>
inline float weight_at(const unsigned char* panel, std::size_t packed, std::size_t k, std::size_t column) {
  using layout = panel_layout<format>;
  using values = panel_values<layout::stored>;
  const unsigned char* at = panel + layout::place(packed, k, column);
  float value = values::one(at, layout::is_low(packed, column));
  if constexpr (layout::above_bits > 0)
    value +=
        values::above(read_as<std::uint32_t>(panel + layout::above(packed, k) + layout::above_bytes * column),
                      k % layout::together);
  if constexpr (!layout::scaled) return value;
  if constexpr (layout::scaled_by_row)
    return value * read_as<float>(panel + layout::word(packed, k, 0, column));
  const auto half = [&](std::size_t which) {
    return from_half(read_as<std::uint16_t>(panel + layout::half(packed, k, which, column)));
  };
  if constexpr (!layout::in_k_blocks) {
    return value * half(0);
  } else { // products of them are exact
    const auto word = [&](std::size_t which) {
      return read_as<std::int32_t>(panel + layout::word(packed, k, which, column));
    };
    const std::size_t group = k % layout::block / layout::together;
    const float scale = half(0) * static_cast<float>(values::template scale<std::int32_t>(word, group));
    if constexpr (layout::halves == 2)
      return scale * value -
             half(1) * static_cast<float>(values::template minimum<std::int32_t>(word, group));
    else
      return scale * (value - values::zero);
  }
}

} // namespace fovea::core
