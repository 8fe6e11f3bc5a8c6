#pragma once

#include "gguf_writer.hpp"

#include <fovea/base/half.hpp>
#include <fovea/weights/gguf_layout.hpp>
#include <fovea/weights/stored_tensor.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace fovea::core::test {

/// A type of quantised blocks.
struct block_type {
  element_type type;
  std::vector<std::size_t> halves; // where a block has its scale, and its offset or minimum
};

/// Those that programs choose beside Q8_0 and Q4_0.
inline const std::array<block_type, 8> blocks_of_others{{{element_type::q4_1, {0, 2}},
                                                         {element_type::q5_0, {0}},
                                                         {element_type::q5_1, {0, 2}},
                                                         {element_type::q2_k, {80, 82}},
                                                         {element_type::q3_k, {108}},
                                                         {element_type::q4_k, {0, 2}},
                                                         {element_type::q5_k, {0, 2}},
                                                         {element_type::q6_k, {208}}}};

inline std::uint32_t ggml_number(element_type type) {
  return std::ranges::find(gguf_layout::types, type, &gguf_layout::type_row::type)->number;
}

inline void set_half(std::string& bytes, std::size_t at, std::uint16_t bits) {
  bytes.replace(at, sizeof bits, bytes_of(bits));
}

/// Random numbers, of these scales and offsets.
inline std::string random_blocks(const block_type& of, std::size_t count, std::mt19937& random,
                                 std::uint16_t scale = to_half(0.01f),
                                 std::uint16_t offset = to_half(0.03f)) {
  const std::size_t size = block_bytes(of.type);
  std::string bytes;
  for (std::size_t i = 0; i < count * size; ++i) bytes += static_cast<char>(random());
  for (std::size_t block = 0; block < count; ++block)
    for (const std::size_t half : of.halves)
      set_half(bytes, block * size + half, half == of.halves.front() ? scale : offset);
  return bytes;
}

} // namespace fovea::core::test
