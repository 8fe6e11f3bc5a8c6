#include <fovea/weights/to_floats.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/half.hpp>
#include <fovea/weights/blocks.hpp>

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
    default:
      if (!gguf_blocks::all::find(type, [&]<class block>(block) { write_blocks<block>(elements, to); }))
        throw error("expected a type that holds reals; found " + std::string(element_name(type)));
  }
}

} // namespace fovea::core
