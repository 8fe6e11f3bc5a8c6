#include <fovea/weights/to_floats.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/half.hpp>
#include <fovea/weights/blocks_of_32.hpp>
#include <fovea/weights/k_blocks.hpp>

#include <cstdint>
#include <cstring>
#include <string>

namespace fovea::core {
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

template <class block>
void write_blocks(std::span<const std::byte> bytes, float* to) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(block), to += block::length) {
    block one;
    std::memcpy(&one, bytes.data() + at, sizeof one);
    one.write(to);
  }
}

} // namespace

bool holds_reals(element_type type) {
  switch (type) {
    case element_type::f64:
    case element_type::f32:
    case element_type::f16:
    case element_type::bf16:
      return true;
    default:
      return block_length(type) > 1;
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
      return write_blocks<gguf_blocks::q8_0>(elements, to);
    case element_type::q4_0:
      return write_blocks<gguf_blocks::q4_0>(elements, to);
    case element_type::q4_1:
      return write_blocks<gguf_blocks::q4_1>(elements, to);
    case element_type::q5_0:
      return write_blocks<gguf_blocks::q5_0>(elements, to);
    case element_type::q5_1:
      return write_blocks<gguf_blocks::q5_1>(elements, to);
    case element_type::q2_k:
      return write_blocks<gguf_blocks::q2_k>(elements, to);
    case element_type::q3_k:
      return write_blocks<gguf_blocks::q3_k>(elements, to);
    case element_type::q4_k:
      return write_blocks<gguf_blocks::q4_k>(elements, to);
    case element_type::q5_k:
      return write_blocks<gguf_blocks::q5_k>(elements, to);
    case element_type::q6_k:
      return write_blocks<gguf_blocks::q6_k>(elements, to);
    default:
      throw error("expected a type that holds reals; found " + std::string(element_name(type)));
  }
}

} // namespace fovea::core
