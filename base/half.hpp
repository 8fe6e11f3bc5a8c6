#pragma once

#include <bit>
#include <cstdint>

namespace fovea::core {

/// The value of a float16's bits.
inline float from_half(std::uint16_t half) {
  // The exponent's bias differs by 112. Multiplying by 2^112 shifts it and makes subnormals normal on the
  // way.
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t rest = static_cast<std::uint32_t>(half & 0x7fffu) << 13;
  const std::uint32_t finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) * 0x1p112f);
  const std::uint32_t magnitude = (half & 0x7c00u) == 0x7c00u ? rest | 0x7f800000u : finite;
  return std::bit_cast<float>(sign | magnitude);
}

/// The bits of the nearest float16, of two the even one; x is below 65520 in magnitude.
inline std::uint16_t to_half(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), sign = bits >> 16 & 0x8000u;
  const float magnitude = std::bit_cast<float>(bits & 0x7fffffffu);
  if (magnitude < 0x1p-14f) // subnormal: adding 0.5 leaves the multiple of 2^-24 in the last bits
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(magnitude + 0.5f) & 0x7ffu));
  const std::uint32_t of = std::bit_cast<std::uint32_t>(magnitude) - (112u << 23);
  return static_cast<std::uint16_t>(sign | (of + 0xfffu + (of >> 13 & 1u)) >> 13);
}

/// The value of a bfloat16's bits.
inline float from_bfloat(std::uint16_t high) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(high) << 16);
}

/// The bits of the nearest bfloat16, of two the even one; x is finite and does not round to infinity.
inline std::uint16_t to_bfloat(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

} // namespace fovea::core
