#pragma once

namespace fovea::core {

/// Element types of weight files. Values are little-endian. From q8_0 on they are llama.cpp's quantised
/// blocks: of 32 elements (blocks_of_32.hpp), and the K types of 256 (k_blocks.hpp).
enum class element_type {
  f64,
  f32,
  f16,
  bf16,
  i64,
  i32,
  i16,
  i8,
  u8,
  boolean,
  q8_0,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::element_type;
} // namespace fovea
