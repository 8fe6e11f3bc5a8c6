#include <fovea/runtime/weights/to_floats.hpp>

#include <fovea/backends/half.hpp>
#include <fovea/runtime/error.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace fovea {
namespace {

template <typename element, typename convert>
void convert_all(std::span<const std::byte> bytes, float* to, convert f) {
  const std::size_t count = bytes.size() / sizeof(element);
  for (std::size_t i = 0; i < count; ++i) {
    element value;
    std::memcpy(&value, bytes.data() + i * sizeof(element), sizeof(element));
    to[i] = f(value);
  }
}

/// llama.cpp's blocks of 32 elements: a float16 scale, then the elements.
template <std::size_t packed_bytes>
struct block {
  std::uint16_t scale;
  std::array<std::uint8_t, packed_bytes> elements;
};
constexpr std::size_t block_elements = 32;

template <std::size_t packed_bytes, typename convert>
void convert_blocks(std::span<const std::byte> bytes, float* to, convert f) {
  using stored = block<packed_bytes>;
  static_assert(sizeof(stored) == 2 + packed_bytes);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(stored), to += block_elements) {
    stored one;
    std::memcpy(&one, bytes.data() + at, sizeof(stored));
    f(from_half(one.scale), one.elements, to);
  }
}

} // namespace

bool holds_reals(element_type type) {
  switch (type) {
    case element_type::f64:
    case element_type::f32:
    case element_type::f16:
    case element_type::bf16:
    case element_type::q8_0:
    case element_type::q4_0:
      return true;
    default:
      return false;
  }
}

void to_floats(element_type type, std::span<const std::byte> elements, float* to) {
  switch (type) {
    case element_type::f64:
      return convert_all<double>(elements, to, [](double value) { return static_cast<float>(value); });
    case element_type::f32:
      std::memcpy(to, elements.data(), elements.size());
      return;
    case element_type::f16:
      return convert_all<std::uint16_t>(elements, to, from_half);
    case element_type::bf16:
      return convert_all<std::uint16_t>(elements, to, from_bfloat);
    case element_type::q8_0:
      return convert_blocks<block_elements>(elements, to, [](float scale, const auto& from, float* out) {
        for (std::size_t i = 0; i < block_elements; ++i)
          out[i] = scale * static_cast<float>(static_cast<std::int8_t>(from[i]));
      });
    case element_type::q4_0:
      return convert_blocks<block_elements / 2>(elements, to, [](float scale, const auto& from, float* out) {
        constexpr std::size_t half = block_elements / 2;
        constexpr int zero = 8;
        for (std::size_t i = 0; i < half; ++i) {
          out[i] = scale * static_cast<float>((from[i] & 15) - zero);
          out[i + half] = scale * static_cast<float>((from[i] >> 4) - zero);
        }
      });
    default:
      throw error("expected a type that holds reals; found " + std::string(element_name(type)));
  }
}

} // namespace fovea
