#pragma once

#include "gguf_writer.hpp"

#include <fovea/base/half.hpp>
#include <fovea/weights/stored_tensor.hpp>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace fovea::core::test {

/// A type of quantised blocks that is read and not written.
struct block_type {
  element_type type;
  std::uint32_t number;            // ggml's
  std::vector<std::size_t> halves; // where a block has its scale, and its offset or minimum
};

inline const std::array<block_type, 8> read_only_blocks{{{element_type::q4_1, 3, {0, 2}},
                                                         {element_type::q5_0, 6, {0}},
                                                         {element_type::q5_1, 7, {0, 2}},
                                                         {element_type::q2_k, 10, {80, 82}},
                                                         {element_type::q3_k, 11, {108}},
                                                         {element_type::q4_k, 12, {0, 2}},
                                                         {element_type::q5_k, 13, {0, 2}},
                                                         {element_type::q6_k, 14, {208}}}};

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
