#pragma once

#include <cstdint>

namespace fovea::core {

/// Element types of inputs: g.input<i32>("tokens", {B, T}).
struct f32 {};
struct i32 {};

enum class element : std::uint8_t { f32, i32, boolean };

constexpr const char* name_of(element type) {
  switch (type) {
    case element::f32:
      return "float32";
    case element::i32:
      return "int32";
    case element::boolean:
      return "boolean";
  }
  return "";
}

/// What a node computes. The operands and attributes of each stand beside the word that makes it.
// clang-format off
enum class op : std::uint8_t {
  none,
  // leaves
  input, parameter, constant, range, carry, repeat_output, time_step, time_index, stack, scan_output,
  // what a stream keeps
  state, keep, cache, position, outside,
  // positions and batch indices inside a score or mask
  score, query_position, key_position, head_index, batch_index, table_at,
  // elementwise, one operand
  negate, exp, log, sqrt, abs, relu, gelu, gelu_tanh, silu, sigmoid, tanh, softplus, erf, sin, cos, floor, logical_not,
  to_float, stop_gradient, dropout,
  // elementwise, two operands
  add, subtract, multiply, divide, power, maximum, minimum, less, less_equal, equal, logical_and, logical_or,
  // elementwise, three operands
  where,
  // affine
  linear, matmul, transpose, gather,
  // norms
  layer_norm, rms_norm, batch_norm, group_norm, softmax, log_softmax, cross_entropy,
  // reductions
  sum, mean, max_over, min_over, argmax,
  // shape
  reshape, permute, slice, concat, pad, reverse, broadcast,
  // attention and positions
  attention, attention_map, sinusoidal, rope,
  // convolution and pooling
  conv1d, conv2d, conv_transpose1d, conv_transpose2d, max_pool, avg_pool,
  // what gradients are made of, beside the words
  scatter_add, slice_gradient, attention_gradient, conv_weight_gradient, max_pool_gradient, avg_pool_gradient,
  layer_norm_gradient, rms_norm_gradient, cross_entropy_gradient,
  // what training draws
  dropout_mask,
};
// clang-format on

constexpr bool is_elementwise(op kind) { return kind >= op::negate && kind <= op::where; }
/// What a matrix product may do to its result while it is in registers.
inline constexpr op activations[] = {op::relu, op::gelu, op::gelu_tanh, op::silu, op::sigmoid, op::tanh};
constexpr bool is_activation(op kind) {
  for (const op a : activations)
    if (a == kind) return true;
  return false;
}
constexpr bool is_convolution(op kind) { return kind >= op::conv1d && kind <= op::conv_transpose2d; }
constexpr bool is_transposed(op kind) { return kind == op::conv_transpose1d || kind == op::conv_transpose2d; }
/// Whether an operation gives several values one behind the other, as one axis.
constexpr bool gives_several(op kind) {
  return kind == op::attention_gradient || kind == op::layer_norm_gradient || kind == op::rms_norm_gradient;
}
constexpr bool is_unary(op kind) { return kind >= op::negate && kind <= op::dropout; }

/// The word a user wrote, for sentences.
constexpr const char* word_of(op kind) {
  // clang-format off
  constexpr const char* words[] = {
      "",
      "input", "parameter", "constant", "range", "repeat", "repeat", "scan", "scan", "scan", "scan",
      "stream", "stream", "stream", "stream", "stream",
      "score", "query position", "key position", "head", "batch", "at",
      "-", "exp", "log", "sqrt", "abs", "relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "softplus", "erf", "sin",
      "cos", "floor", "!", "to_float", "stop_gradient", "dropout",
      "+", "-", "*", "/", "pow", "max", "min", "<", "<=", "==", "&&", "||",
      "where",
      "linear", "matmul", "transpose", "gather",
      "layer_norm", "rms_norm", "batch_norm", "group_norm", "softmax", "log_softmax", "cross_entropy",
      "sum", "mean", "max_over", "min_over", "argmax",
      "reshape", "permute", "slice", "concat", "pad", "reverse", "broadcast",
      "attention", "attention_map", "sinusoidal_positions", "rope",
      "conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d", "max_pool", "avg_pool",
      "gather", "slice", "attention", "conv", "max_pool", "avg_pool",
      "layer_norm", "rms_norm", "cross_entropy", "dropout"};
  // clang-format on
  static_assert(sizeof(words) / sizeof(words[0]) == static_cast<unsigned>(op::dropout_mask) + 1);
  return words[static_cast<unsigned>(kind)];
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::f32, core::i32;
} // namespace fovea
