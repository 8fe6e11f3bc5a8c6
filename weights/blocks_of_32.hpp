#pragma once

#include <fovea/base/half.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace fovea::core::gguf_blocks {

// llama.cpp's blocks of 32 values, as they lie in a file: a float16 scale, in some a float16 offset, then
// whole numbers. Each writes its values with the reference's operations in its order, so that no bit differs.
// Those that values are rounded to are also made of a scale and whole numbers of `lowest` to `highest`; the
// value of largest magnitude is `greatest` of them, or as many the other way where that is positive.

/// The lower four bits of 32 numbers, of the first 16 in the low halves of the bytes, of the others in the
/// high ones.
using packed_nibbles = std::array<std::uint8_t, 16>;

using whole_numbers = std::array<int, 32>;

/// The lower four bits of numbers with `more` added.
inline packed_nibbles to_nibbles(const whole_numbers& numbers, int more) {
  packed_nibbles packed;
  const auto low = [&](std::size_t i) { return (numbers[i] + more) & 15; };
  for (std::size_t i = 0; i < packed.size(); ++i)
    packed[i] = static_cast<std::uint8_t>(low(i) | low(i + packed.size()) << 4);
  return packed;
}

/// to[i] = f(the lower four bits of number i, i).
template <class function>
void from_nibbles(const packed_nibbles& packed, float* to, const function& f) {
  for (std::size_t half = 0; half < 2; ++half)
    for (std::size_t i = 0; i < packed.size(); ++i) {
      const std::size_t at = half * packed.size() + i;
      to[at] = f(packed[i] >> (4 * half) & 15, at);
    }
}

/// The fifth bit of 32 numbers, as 16 or 0.
struct packed_fifth_bits {
  std::array<std::uint8_t, 4> bytes;
  int operator[](std::size_t i) const { return (bytes[i / 8] >> (i % 8) & 1) << 4; }
};

struct q4_0 {
  static constexpr std::size_t length = 32;
  static constexpr int lowest = -8, highest = 7, greatest = -8;
  std::uint16_t scale;
  packed_nibbles low;

  static q4_0 of(std::uint16_t scale, const whole_numbers& numbers) {
    return {scale, to_nibbles(numbers, 8)};
  }

  void write(float* to) const {
    const float d = from_half(scale);
    from_nibbles(low, to, [&](int q, std::size_t) { return d * static_cast<float>(q - 8); });
  }
};

struct q4_1 {
  static constexpr std::size_t length = 32;
  std::uint16_t scale, offset;
  packed_nibbles low;

  void write(float* to) const {
    const float d = from_half(scale), m = from_half(offset);
    from_nibbles(low, to, [&](int q, std::size_t) { return d * static_cast<float>(q) + m; });
  }
};

struct q5_0 {
  static constexpr std::size_t length = 32;
  static constexpr int lowest = -16, highest = 15, greatest = -16;
  std::uint16_t scale;
  packed_fifth_bits high;
  packed_nibbles low;

  static q5_0 of(std::uint16_t scale, const whole_numbers& numbers) {
    q5_0 made{scale, {}, to_nibbles(numbers, 16)};
    for (std::size_t i = 0; i < length; ++i)
      if (numbers[i] >= 0) made.high.bytes[i / 8] |= static_cast<std::uint8_t>(1 << i % 8);
    return made;
  }

  void write(float* to) const {
    const float d = from_half(scale);
    from_nibbles(low, to, [&](int q, std::size_t i) { return d * static_cast<float>((q | high[i]) - 16); });
  }
};

struct q5_1 {
  static constexpr std::size_t length = 32;
  std::uint16_t scale, offset;
  packed_fifth_bits high;
  packed_nibbles low;

  void write(float* to) const {
    const float d = from_half(scale), m = from_half(offset);
    from_nibbles(low, to, [&](int q, std::size_t i) { return d * static_cast<float>(q | high[i]) + m; });
  }
};

struct q8_0 {
  static constexpr std::size_t length = 32;
  static constexpr int lowest = -128, highest = 127, greatest = 127;
  std::uint16_t scale;
  std::array<std::int8_t, 32> numbers;

  static q8_0 of(std::uint16_t scale, const whole_numbers& numbers) {
    q8_0 made{scale, {}};
    for (std::size_t i = 0; i < length; ++i) made.numbers[i] = static_cast<std::int8_t>(numbers[i]);
    return made;
  }

  void write(float* to) const {
    const float d = from_half(scale);
    for (std::size_t i = 0; i < length; ++i) to[i] = d * static_cast<float>(numbers[i]);
  }
};

} // namespace fovea::core::gguf_blocks
