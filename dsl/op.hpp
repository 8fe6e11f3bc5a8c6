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

/// What a node computes. The operands of each stand beside the word that makes it, what it is told beside
/// them in settings.hpp.
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
  linear, matmul, expert_linear, transpose, gather,
  // by order and place
  order, take_along,
  // norms
  layer_norm, rms_norm, batch_norm, group_norm, softmax, log_softmax, cross_entropy,
  // reductions
  sum, mean, max_over, min_over, argmax, cumsum,
  // shape
  reshape, permute, slice, concat, pad, reverse, broadcast,
  // attention and positions
  attention, attention_map, sinusoidal, rope,
  // convolution and pooling
  conv1d, conv2d, conv_transpose1d, conv_transpose2d, max_pool, avg_pool,
  // frames of sound
  stft, stft_transposed,
  // what gradients are made of, beside the words
  scatter_add, take_along_gradient, expert_linear_gradient, expert_weight_gradient,
  slice_gradient, attention_gradient, conv_weight_gradient, max_pool_gradient, avg_pool_gradient,
  layer_norm_gradient, rms_norm_gradient, cross_entropy_gradient,
  // what training draws
  dropout_mask,
  // of the ranks that learn together: the mean of a value over them, and how many there are
  rank_mean, rank_count,
};
// clang-format on

// clang-format off
/// What operations have in common, by which passes and backends treat them.
enum class family : std::uint8_t {
  none, leaf, loop, kept, recorded, unary, binary, choice, product, lookup, norm, softmax, loss, reduction, shape,
  attention, positions, convolution, pooling, spectrum, gradient, random, ranks,
};

/// Which member of node_settings (settings.hpp) an operation is told beside its operands.
enum class told : std::uint8_t {
  none, entry, number, carried, time, cache, outside, along, order, slice, pad, permute, norm, loss, attention, rope,
  sinusoidal, window, dropout,
};

/// The element type that an elementwise operation gives: float32, that of its operands, or truth values.
enum class gives : std::uint8_t { f32, operands, boolean };

/// How an operation works on the positions of a sequence, where that can be said of it alone.
///   each      elementwise: axes align from the last one
///   features  over the last axis of its first operand
///   along     over an axis that it names (axis_along)
///   reduced   the same, and the axis goes
///   running   the same, each from those up to it
///   turned    over none: it gives axes another order
///   rows      of a table that has none, by ids
enum class over : std::uint8_t { other, each, features, along, reduced, running, turned, rows, matrices, window };

/// What an operation costs beside its passes over operands and result (plan/cost.hpp).
///   passes     nothing
///   nothing    not even these: its value is that of its operand, where that lies
///   taken      of its first operand it reads only what it gives
///   put        of its result it writes only what it is given
///   inner      an inner product for each element
///   taps       a product of each element with all taps and features
///   scores     an inner product of each query and key
///   attention  the same, and a product of each of them with its value
///   fourier    a fast Fourier transform of each frame
enum class cost : std::uint8_t { passes, nothing, taken, put, inner, taps, scores, attention, fourier };
// clang-format on

/// How many operands an operation has.
struct operand_bounds {
  static constexpr std::uint8_t any = 255;
  std::uint8_t least = 0, most = 0;
};

/// What is known of an operation apart from its code: reference and kernels (backends), gradient
/// (gradients/).
struct operation {
  op kind;
  const char* word; // as a user wrote it, for sentences
  family of = family::none;
  operand_bounds operands = {};
  told settings = told::none;
  over positions = over::other;
  cost costs = cost::passes;
  gives result = gives::f32;
  bool of_zero_zero = false; // of one operand: 0 where that is 0
};

// clang-format off
/// Of each operation, in their order.
inline constexpr operation operations[] = {
    {op::none, "", family::none, {0, 0}},
    // leaves
    {op::input, "input", family::leaf, {0, 0}, told::entry},
    {op::parameter, "parameter", family::leaf, {0, 0}, told::entry},
    {op::constant, "constant", family::leaf, {0, 0}, told::number},
    {op::range, "range", family::leaf, {0, 1}},
    // loops
    {op::carry, "repeat", family::loop, {1, 1}, told::carried},
    {op::repeat_output, "repeat", family::loop, {1, 1}, told::carried},
    {op::time_step, "scan", family::loop, {1, 1}, told::time, over::other, cost::taken},
    {op::time_index, "scan", family::loop, {0, 0}, told::time},
    {op::stack, "scan", family::loop, {1, 1}, told::time, over::other, cost::put},
    {op::scan_output, "scan", family::loop, {1, 1}, told::carried},
    // what a stream keeps
    {op::state, "stream", family::kept, {0, 0}, told::entry},
    {op::keep, "stream", family::kept, {1, 1}, told::entry},
    {op::cache, "stream", family::kept, {1, 1}, told::cache},
    {op::position, "stream", family::kept, {0, 0}},
    {op::outside, "stream", family::kept, {0, 0}, told::outside},
    // positions and batch indices inside a score or mask
    {op::score, "score", family::recorded, {0, 0}},
    {op::query_position, "query position", family::recorded, {0, 0}},
    {op::key_position, "key position", family::recorded, {0, 0}},
    {op::head_index, "head", family::recorded, {0, 0}},
    {op::batch_index, "batch", family::recorded, {0, 0}},
    {op::table_at, "at", family::recorded, {0, operand_bounds::any}},
    // elementwise, one operand
    {op::negate, "-", family::unary, {1, 1}, told::none, over::each, cost::passes, gives::operands, true},
    {op::exp, "exp", family::unary, {1, 1}, told::none, over::each},
    {op::log, "log", family::unary, {1, 1}, told::none, over::each},
    {op::sqrt, "sqrt", family::unary, {1, 1}, told::none, over::each, cost::passes, gives::f32, true},
    {op::abs, "abs", family::unary, {1, 1}, told::none, over::each, cost::passes, gives::operands, true},
    {op::relu, "relu", family::unary, {1, 1}, told::none, over::each, cost::passes, gives::f32, true},
    {op::gelu, "gelu", family::unary, {1, 1}, told::none, over::each, cost::passes, gives::f32, true},
    {op::gelu_tanh, "gelu_tanh", family::unary, {1, 1}, told::none, over::each, cost::passes, gives::f32, true},
    {op::silu, "silu", family::unary, {1, 1}, told::none, over::each, cost::passes, gives::f32, true},
    {op::sigmoid, "sigmoid", family::unary, {1, 1}, told::none, over::each},
    {op::tanh, "tanh", family::unary, {1, 1}, told::none, over::each, cost::passes, gives::f32, true},
    {op::softplus, "softplus", family::unary, {1, 1}, told::none, over::each},
    {op::erf, "erf", family::unary, {1, 1}, told::none, over::each, cost::passes, gives::f32, true},
    {op::sin, "sin", family::unary, {1, 1}, told::none, over::each, cost::passes, gives::f32, true},
    {op::cos, "cos", family::unary, {1, 1}, told::none, over::each},
    {op::floor, "floor", family::unary, {1, 1}, told::none, over::each, cost::passes, gives::f32, true},
    {op::logical_not, "!", family::unary, {1, 1}, told::none, over::each, cost::passes, gives::boolean},
    {op::to_float, "to_float", family::unary, {1, 1}, told::none, over::each},
    {op::stop_gradient, "stop_gradient", family::unary, {1, 1}, told::none, over::each, cost::nothing, gives::operands},
    {op::dropout, "dropout", family::unary, {1, 1}, told::dropout, over::each, cost::nothing, gives::operands},
    // elementwise, two operands
    {op::add, "+", family::binary, {2, 2}, told::none, over::each, cost::passes, gives::operands},
    {op::subtract, "-", family::binary, {2, 2}, told::none, over::each, cost::passes, gives::operands},
    {op::multiply, "*", family::binary, {2, 2}, told::none, over::each, cost::passes, gives::operands},
    {op::divide, "/", family::binary, {2, 2}, told::none, over::each, cost::passes, gives::operands},
    {op::power, "pow", family::binary, {2, 2}, told::none, over::each},
    {op::maximum, "max", family::binary, {2, 2}, told::none, over::each, cost::passes, gives::operands},
    {op::minimum, "min", family::binary, {2, 2}, told::none, over::each, cost::passes, gives::operands},
    {op::less, "<", family::binary, {2, 2}, told::none, over::each, cost::passes, gives::boolean},
    {op::less_equal, "<=", family::binary, {2, 2}, told::none, over::each, cost::passes, gives::boolean},
    {op::equal, "==", family::binary, {2, 2}, told::none, over::each, cost::passes, gives::boolean},
    {op::logical_and, "&&", family::binary, {2, 2}, told::none, over::each, cost::passes, gives::boolean},
    {op::logical_or, "||", family::binary, {2, 2}, told::none, over::each, cost::passes, gives::boolean},
    // elementwise, three operands
    {op::where, "where", family::choice, {3, 3}, told::none, over::each},
    // affine
    {op::linear, "linear", family::product, {2, 3}, told::none, over::features, cost::inner},
    {op::matmul, "matmul", family::product, {2, 2}, told::none, over::matrices, cost::inner},
    {op::expert_linear, "expert_linear", family::product, {3, 3}, told::none, over::features, cost::inner},
    {op::transpose, "transpose", family::shape, {1, 1}, told::none, over::turned},
    {op::gather, "gather", family::lookup, {2, 2}, told::none, over::rows, cost::taken},
    // by order and place
    {op::order, "top_k", family::lookup, {1, 1}, told::order, over::features},
    {op::take_along, "take_along", family::lookup, {2, 2}, told::along, over::along, cost::taken},
    // norms
    {op::layer_norm, "layer_norm", family::norm, {1, 3}, told::norm, over::features},
    {op::rms_norm, "rms_norm", family::norm, {1, 2}, told::norm, over::features},
    {op::batch_norm, "batch_norm", family::norm, {5, 5}, told::norm, over::features},
    {op::group_norm, "group_norm", family::norm, {1, 3}, told::norm},
    {op::softmax, "softmax", family::softmax, {1, 1}, told::along, over::along},
    {op::log_softmax, "log_softmax", family::softmax, {1, 1}, told::along, over::along},
    {op::cross_entropy, "cross_entropy", family::loss, {2, 2}, told::loss, over::features},
    // reductions
    {op::sum, "sum", family::reduction, {1, 1}, told::along, over::reduced},
    {op::mean, "mean", family::reduction, {1, 1}, told::along, over::reduced},
    {op::max_over, "max_over", family::reduction, {1, 1}, told::along, over::reduced},
    {op::min_over, "min_over", family::reduction, {1, 1}, told::along, over::reduced},
    {op::argmax, "argmax", family::reduction, {1, 1}, told::along, over::reduced},
    {op::cumsum, "cumsum", family::reduction, {1, 1}, told::along, over::running},
    // shape
    {op::reshape, "reshape", family::shape, {1, 1}, told::none, over::other, cost::nothing},
    {op::permute, "permute", family::shape, {1, 1}, told::permute, over::turned},
    {op::slice, "slice", family::shape, {1, 1}, told::slice, over::along},
    {op::concat, "concat", family::shape, {1, operand_bounds::any}, told::along, over::along},
    {op::pad, "pad", family::shape, {1, 1}, told::pad, over::along},
    {op::reverse, "reverse", family::shape, {1, 1}, told::along, over::along},
    {op::broadcast, "broadcast", family::shape, {1, 1}, told::none, over::each},
    // attention and positions
    {op::attention, "attention", family::attention, {3, operand_bounds::any}, told::attention, over::other, cost::attention},
    {op::attention_map, "attention_map", family::attention, {3, operand_bounds::any}, told::attention, over::other, cost::scores},
    {op::sinusoidal, "sinusoidal_positions", family::positions, {1, 1}, told::sinusoidal},
    {op::rope, "rope", family::positions, {1, 1}, told::rope},
    // convolution and pooling
    {op::conv1d, "conv1d", family::convolution, {2, 3}, told::window, over::window, cost::taps},
    {op::conv2d, "conv2d", family::convolution, {2, 3}, told::window, over::window, cost::taps},
    {op::conv_transpose1d, "conv_transpose1d", family::convolution, {2, 3}, told::window, over::other, cost::taps},
    {op::conv_transpose2d, "conv_transpose2d", family::convolution, {2, 3}, told::window, over::other, cost::taps},
    {op::max_pool, "max_pool", family::pooling, {1, 1}, told::window},
    {op::avg_pool, "avg_pool", family::pooling, {1, 1}, told::window},
    // frames of sound
    {op::stft, "stft", family::spectrum, {3, 3}, told::window, over::window, cost::fourier},
    {op::stft_transposed, "istft", family::spectrum, {3, 3}, told::window, over::other, cost::fourier},
    // what gradients are made of, beside the words
    {op::scatter_add, "gather", family::gradient, {2, 2}},
    {op::take_along_gradient, "take_along", family::gradient, {2, 2}, told::along},
    {op::expert_linear_gradient, "expert_linear", family::gradient, {3, 3}},
    {op::expert_weight_gradient, "expert_linear", family::gradient, {3, 3}},
    {op::slice_gradient, "slice", family::gradient, {1, 1}, told::slice},
    {op::attention_gradient, "attention", family::gradient, {4, operand_bounds::any}, told::attention},
    {op::conv_weight_gradient, "conv", family::gradient, {2, 2}, told::window},
    {op::max_pool_gradient, "max_pool", family::gradient, {2, 2}, told::window},
    {op::avg_pool_gradient, "avg_pool", family::gradient, {1, 1}, told::window},
    {op::layer_norm_gradient, "layer_norm", family::gradient, {2, 3}, told::norm},
    {op::rms_norm_gradient, "rms_norm", family::gradient, {2, 3}, told::norm},
    {op::cross_entropy_gradient, "cross_entropy", family::gradient, {3, 3}, told::loss},
    // what training draws
    {op::dropout_mask, "dropout", family::random, {0, operand_bounds::any}, told::dropout},
    // of the ranks that learn together
    {op::rank_mean, "batch_norm", family::ranks, {1, 1}, told::none, over::each},
    {op::rank_count, "batch_norm", family::ranks, {0, 0}},
};
// clang-format on
static_assert([] {
  unsigned rows = 0;
  for (const operation& o : operations)
    if (static_cast<unsigned>(o.kind) != rows++) return false;
  return rows == static_cast<unsigned>(op::rank_count) + 1;
}());

constexpr const operation& operation_of(op kind) { return operations[static_cast<unsigned>(kind)]; }
constexpr const char* word_of(op kind) { return operation_of(kind).word; }

constexpr bool is_unary(op kind) { return operation_of(kind).of == family::unary; }
constexpr bool is_elementwise(op kind) {
  const family f = operation_of(kind).of;
  return f == family::unary || f == family::binary || f == family::choice;
}
constexpr bool is_convolution(op kind) { return operation_of(kind).of == family::convolution; }
constexpr bool is_transposed(op kind) {
  return kind == op::conv_transpose1d || kind == op::conv_transpose2d || kind == op::stft_transposed;
}
/// Whether an operation stands for a value inside a loop.
constexpr bool is_inner(op kind) {
  return operation_of(kind).of == family::loop && kind != op::repeat_output && kind != op::scan_output;
}
/// Whether an operation sees its operand through windows that move along it.
constexpr bool slides(op kind) {
  const family f = operation_of(kind).of;
  return f == family::convolution || f == family::pooling || f == family::spectrum;
}
/// Whether an operation gives several values one behind the other, as one axis.
constexpr bool gives_several(op kind) {
  return kind == op::attention_gradient || kind == op::layer_norm_gradient || kind == op::rms_norm_gradient;
}

/// What a matrix product may do to its result while it is in registers.
inline constexpr op activations[] = {op::relu, op::gelu, op::gelu_tanh, op::silu, op::sigmoid, op::tanh};
constexpr bool is_activation(op kind) {
  for (const op a : activations)
    if (a == kind) return true;
  return false;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::f32, core::i32;
} // namespace fovea
