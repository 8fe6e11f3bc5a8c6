#pragma once

#include <fovea/base/half.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fovea::core::gguf_blocks {

// llama.cpp's K blocks of 256 values, as they lie in a file: eight lines of 32 whole numbers, which share
// bytes, each at bits of its own. A line, or half of one, has a scale and in some types a minimum to
// subtract, whole numbers themselves of the block's float16 ones. Values come of the reference's operations
// in its order, so that no bit differs. Those that values are rounded to are also made of values, of up to
// `largest` (round_k_blocks.cpp).

template <std::size_t count>
using packed_bits = std::array<std::uint8_t, count>;
using k_values = std::span<const float, 256>;

/// Number i of a line, of one, two or four bits.
inline int one_bit(const packed_bits<32>& packed, std::size_t line, std::size_t i) {
  return packed[i] >> line & 1;
}
inline int two_bits(const packed_bits<64>& packed, std::size_t line, std::size_t i) {
  return packed[line / 4 * 32 + i] >> (line % 4 * 2) & 3;
}
inline int four_bits(const packed_bits<128>& packed, std::size_t line, std::size_t i) {
  return packed[line / 2 * 32 + i] >> (line % 2 * 4) & 15;
}

/// A scale and a minimum of six bits for each line. The last four lines have the lower four in the last
/// bytes, and the upper two above those of the first lines.
struct packed_line_scales {
  packed_bits<12> bytes;

  int scale(std::size_t line) const {
    return line < 4 ? bytes[line] & 63 : (bytes[line + 4] & 15) | bytes[line - 4] >> 6 << 4;
  }
  int minimum(std::size_t line) const {
    return line < 4 ? bytes[line + 4] & 63 : bytes[line + 4] >> 4 | bytes[line] >> 6 << 4;
  }
  /// Of a line that has none yet.
  void set(std::size_t line, int scale, int minimum) {
    const auto add = [this](std::size_t at, int bits) { bytes[at] |= static_cast<std::uint8_t>(bits); };
    if (line < 4) {
      add(line, scale), add(line + 4, minimum);
      return;
    }
    add(line + 4, (scale & 15) | (minimum & 15) << 4);
    add(line - 4, scale >> 4 << 6), add(line, minimum >> 4 << 6);
  }
};

/// Writes number f(line, i) for each i of each line. What f reads lies elsewhere.
template <class function>
void write_lines(float* __restrict to, const function& f) {
  for (std::size_t line = 0; line < 8; ++line)
    for (std::size_t i = 0; i < 32; ++i) to[line * 32 + i] = static_cast<float>(f(line, i));
}

/// Makes values of numbers that have a scale, and a minimum.
template <std::size_t count>
void scale_group(float* to, float scale) {
  for (std::size_t i = 0; i < count; ++i) to[i] = scale * to[i];
}
template <std::size_t count>
void scale_group(float* to, float scale, float minimum) {
  for (std::size_t i = 0; i < count; ++i) to[i] = scale * to[i] - minimum;
}

struct q2_k {
  static constexpr std::size_t length = 256;
  std::array<std::uint8_t, 16> groups; // scales in the low halves, minima in the high ones
  packed_bits<64> numbers;
  std::uint16_t scale, minimum;

  void write(float* to) const {
    write_lines(to, [this](std::size_t line, std::size_t i) { return two_bits(numbers, line, i); });
    for (std::size_t group = 0; group < groups.size(); ++group)
      scale_group<16>(to + group * 16, from_half(scale) * static_cast<float>(groups[group] & 15),
                      from_half(minimum) * static_cast<float>(groups[group] >> 4));
  }
};

struct q3_k {
  static constexpr std::size_t length = 256;
  packed_bits<32> high; // clear where four is to be subtracted
  packed_bits<64> low;
  packed_bits<12> groups; // scales: the lower four bits of all, then the upper two
  std::uint16_t scale;

  int group_scale(std::size_t group) const {
    const int lower = groups[group % 8] >> (group / 8 * 4) & 15,
              upper = groups[8 + group % 4] >> (group / 4 * 2) & 3;
    return (lower | upper << 4) - 32;
  }
  void write(float* to) const {
    write_lines(to, [this](std::size_t line, std::size_t i) {
      return (two_bits(low, line, i) | one_bit(high, line, i) << 2) - 4;
    });
    for (std::size_t group = 0; group < 16; ++group)
      scale_group<16>(to + group * 16, from_half(scale) * static_cast<float>(group_scale(group)));
  }
};

struct q4_k {
  static constexpr std::size_t length = 256;
  static constexpr float largest = 65504.f * 63;
  std::uint16_t scale, minimum;
  packed_line_scales lines;
  packed_bits<128> numbers;

  static q4_k of(k_values values);

  void write(float* to) const {
    write_lines(to, [this](std::size_t line, std::size_t i) { return four_bits(numbers, line, i); });
    for (std::size_t line = 0; line < 8; ++line)
      scale_group<32>(to + line * 32, from_half(scale) * static_cast<float>(lines.scale(line)),
                      from_half(minimum) * static_cast<float>(lines.minimum(line)));
  }
};

struct q5_k {
  static constexpr std::size_t length = 256;
  std::uint16_t scale, minimum;
  packed_line_scales lines;
  packed_bits<32> high;
  packed_bits<128> low;

  void write(float* to) const {
    write_lines(to, [this](std::size_t line, std::size_t i) {
      return four_bits(low, line, i) | one_bit(high, line, i) << 4;
    });
    for (std::size_t line = 0; line < 8; ++line)
      scale_group<32>(to + line * 32, from_half(scale) * static_cast<float>(lines.scale(line)),
                      from_half(minimum) * static_cast<float>(lines.minimum(line)));
  }
};

struct q6_k {
  static constexpr std::size_t length = 256;
  static constexpr float largest = 65504.f * 128 * 32;
  packed_bits<128> low;
  packed_bits<64> high;
  std::array<std::int8_t, 16> groups;
  std::uint16_t scale;

  static q6_k of(k_values values);

  /// Lines share bytes with those two after them, where four_bits has neighbours share.
  int low_bits(std::size_t line, std::size_t i) const {
    return low[line / 4 * 64 + line % 2 * 32 + i] >> (line % 4 / 2 * 4) & 15;
  }
  void write(float* to) const {
    write_lines(to, [this](std::size_t line, std::size_t i) {
      return (low_bits(line, i) | two_bits(high, line, i) << 4) - 32;
    });
    for (std::size_t group = 0; group < groups.size(); ++group)
      scale_group<16>(to + group * 16, from_half(scale) * static_cast<float>(groups[group]));
  }
};

} // namespace fovea::core::gguf_blocks
