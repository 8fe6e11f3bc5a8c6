#pragma once

#include <concepts>
#include <cstdint>

#include <fovea/dsl/op.hpp>

namespace fovea::core {

/// Formats of weights beside f32: compile<q8_0>(model, weights, options), stream<T, q8_0>(...).
///
/// A format says how the weights of products are kept and read; they are decoded in registers, and what is
/// computed with them is float32: the results are, bit for bit, those of float32 weights of the rounded
/// values (but for integer_products and bf16_products, below). In it are the parameters [out, in] of linear
/// maps and of matmul(x, transpose(w)), tables that `gather` shares with them included; all others stay
/// float32: norms, biases, tables of their own, convolutions, small weights inside scans (which stay in a
/// cache) and those that a batch norm scales.
///
///   f16, bf16   each value rounded to the nearest
///   int8        the values of a row share a float32 scale, the largest magnitude / 127: whole numbers of
///               -127 to 127, as CTranslate2's are
///   q8_0        32 values along the row share a float16 scale: llama.cpp's Q8_0, int8 values
///   q4_0        the same with values of four bits, -8 to 7
struct f16 {};
struct bf16 {};
struct int8 {};
struct q8_0 {};
struct q4_0 {};

/// Weights in int8, q8_0 or q4_0 whose products are sums of integers, as CTranslate2's and llama.cpp's are:
/// what they multiply is rounded too, to whole numbers of -127 to 127 times a float32, the largest magnitude
/// / 127, of as many values of a row as share a scale in the weights. The sum of their products is exact;
/// times both scales it is added in float32. Faster where memory does not bound, at an error of up to 1 / 254
/// of the largest of 32 values in each of them, in int8 of the largest in the row.
template <class format>
struct integer_products {};

/// Weights in bf16 whose products round what they multiply to bf16 too, as llama.cpp's do; sums are float32.
/// With AVX512_BF16 twice as many products in the same time, at an error of up to 1 / 512 of each value.
struct bf16_products {};

enum class weight_format : std::uint8_t {
  f32,
  f16,
  bf16,
  int8,
  q8_0,
  q4_0,
  integer_int8,
  integer_q8_0,
  integer_q4_0,
  rounded_bf16
};

/// The most floats of a weight inside a scan that is small. One function may run a scan of such weights.
inline constexpr int most_row_weights = 128 * 1024 / 4;

/// Values that share a scale in q8_0 and q4_0.
inline constexpr unsigned weight_group = 32;

/// Whether a type names a format of weights, f32 being one.
template <class type>
inline constexpr bool is_weight_format =
    std::same_as<type, f32> || std::same_as<type, f16> || std::same_as<type, bf16> ||
    std::same_as<type, int8> || std::same_as<type, q8_0> || std::same_as<type, q4_0> ||
    std::same_as<type, integer_products<int8>> || std::same_as<type, integer_products<q8_0>> ||
    std::same_as<type, integer_products<q4_0>> || std::same_as<type, bf16_products>;

/// The format that a type names; compile takes it as its backend.
template <class type>
inline constexpr weight_format format_named = weight_format::f32;
template <>
inline constexpr weight_format format_named<f16> = weight_format::f16;
template <>
inline constexpr weight_format format_named<bf16> = weight_format::bf16;
template <>
inline constexpr weight_format format_named<int8> = weight_format::int8;
template <>
inline constexpr weight_format format_named<q8_0> = weight_format::q8_0;
template <>
inline constexpr weight_format format_named<q4_0> = weight_format::q4_0;
template <>
inline constexpr weight_format format_named<integer_products<int8>> = weight_format::integer_int8;
template <>
inline constexpr weight_format format_named<integer_products<q8_0>> = weight_format::integer_q8_0;
template <>
inline constexpr weight_format format_named<integer_products<q4_0>> = weight_format::integer_q4_0;
template <>
inline constexpr weight_format format_named<bf16_products> = weight_format::rounded_bf16;

/// Whether products by weights of a format are sums of integers.
constexpr bool sums_integers(weight_format format) {
  return format == weight_format::integer_int8 || format == weight_format::integer_q8_0 ||
         format == weight_format::integer_q4_0;
}

/// Whether products by weights of a format round what they multiply.
constexpr bool rounds_rows(weight_format format) {
  return sums_integers(format) || format == weight_format::rounded_bf16;
}

constexpr const char* name_of(weight_format format) {
  constexpr const char* names[] = {"f32",
                                   "f16",
                                   "bf16",
                                   "int8",
                                   "q8_0",
                                   "q4_0",
                                   "integer_products<int8>",
                                   "integer_products<q8_0>",
                                   "integer_products<q4_0>",
                                   "bf16_products"};
  return names[static_cast<unsigned>(format)];
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::bf16, core::bf16_products, core::f16, core::int8, core::integer_products, core::q4_0, core::q8_0;
} // namespace fovea
