#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include <fovea/dsl/op.hpp>
#include <fovea/weights/element_type.hpp>

namespace fovea::core {

/// Formats of weights beside f32: compile<q8_0>(model, weights, options), stream<T, q8_0>(...).
///
/// A format says how the weights of products are kept and read; they are decoded in registers, and what is
/// computed with them is float32: the results are, bit for bit, those of float32 weights of the rounded
/// values (but for integer_products and bf16_products, below). In it are the parameters [out, in] of linear
/// maps and of matmul(x, transpose(w)), tables that `gather` shares with them included, and the filters of large
/// convolutions that do not go by tiles (formatted.hpp). All others stay float32: norms, biases,
/// tables of their own, other convolutions, small weights inside scans (which stay in a cache) and those that a
/// batch norm scales.
///
///   f16, bf16   each value rounded to the nearest
///   int8        the values of a row share a float32 scale, the largest magnitude / 127: whole numbers of
///               -127 to 127, as CTranslate2's are
///   q8_0        32 values along the row share a float16 scale: llama.cpp's Q8_0, int8 values
///   q4_0        the same with values of four bits, -8 to 7
///   q5_0        the same with values of five bits, -16 to 15
///   q4_k        32 values share a scale and a minimum, of six bits each, that 256 values share float16 ones of:
///               llama.cpp's Q4_K, values of four bits, 0 to 15
///   q6_k        16 values share a scale of eight bits, that 256 values share a float16 one of: llama.cpp's Q6_K,
///               values of six bits, -32 to 31
///
/// Files mix the last two: what is in one of them stays so where the other is asked for.
struct f16 {};
struct bf16 {};
struct int8 {};
struct q8_0 {};
struct q4_0 {};
struct q5_0 {};
struct q4_k {};
struct q6_k {};

/// Weights in int8, q8_0, q4_0, q4_k or q6_k whose products are sums of integers, as CTranslate2's and llama.cpp's are:
/// what they multiply is rounded too, to whole numbers of -127 to 127 times a float32, the largest magnitude
/// / 127, of as many values of a row as share a scale in the weights. The sum of their products is exact;
/// times both scales it is added in float32. Faster where memory does not bound, at an error of up to 1 / 254
/// of the largest of 32 values in each of them, in int8 of the largest in the row. Those of 32 values are rounded
/// together for q6_k, too.
template <class format>
struct integer_products {};

/// Weights in bf16 whose products round what they multiply to bf16 too, as llama.cpp's do; sums are float32.
/// With AVX512_BF16 twice as many products in the same time, at an error of up to 1 / 512 of each value.
struct bf16_products {};

/// The most floats of a weight inside a scan that is small. One function may run a scan of such weights.
inline constexpr int most_row_weights = 128 * 1024 / 4;

/// Values that share a scale in formats of files.
inline constexpr unsigned weight_group = 32;

/// What the library knows of a format. How files' types are written and read is in blocks_of_32.hpp, how they
/// lie in panels in panel_values.hpp.
struct format_traits {
  static constexpr unsigned whole_row = ~0u;

  const char* name;         // as a program writes it
  element_type stored;      // what files have the values as
  unsigned bits;            // of a value, its scale aside
  unsigned together = 0;    // values of a row that share a scale, weight_group or whole_row; 0: there is none
  unsigned file_type = 0;   // llama.cpp's number of files whose matrices are in it
  bool rounds_rows = false; // whether products round what they multiply
  // Of a block, the values of a row that have scales in common, and what it holds of these: float16 numbers, and
  // words of 32 bits (panel_layout.hpp).
  unsigned block = weight_group, halves = 1, words = 0;

  constexpr bool sums_integers() const { return rounds_rows && together > 0; }
  /// int8 they do not: its rows are as long as a model makes them.
  constexpr bool in_files() const { return together != whole_row; }
  /// Of llama.cpp's K blocks.
  constexpr bool is_k() const { return block > weight_group; }
};

template <class format>
inline constexpr format_traits traits_of{};
template <>
inline constexpr format_traits traits_of<f32>{"f32", element_type::f32, 32};
template <>
inline constexpr format_traits traits_of<f16>{"f16", element_type::f16, 16, 0, 1};
template <>
inline constexpr format_traits traits_of<bf16>{"bf16", element_type::bf16, 16, 0, 32};
template <>
inline constexpr format_traits traits_of<int8>{"int8", element_type::i8, 8, format_traits::whole_row};
template <>
inline constexpr format_traits traits_of<q8_0>{"q8_0", element_type::q8_0, 8, weight_group, 7};
template <>
inline constexpr format_traits traits_of<q4_0>{"q4_0", element_type::q4_0, 4, weight_group, 2};
template <>
inline constexpr format_traits traits_of<q5_0>{"q5_0", element_type::q5_0, 5, weight_group, 8};
template <>
inline constexpr format_traits traits_of<q4_k>{"q4_k", element_type::q4_k, 4, weight_group, 14, false, 256, 2,
                                               3};
template <>
inline constexpr format_traits traits_of<q6_k>{
    "q6_k", element_type::q6_k, 6, weight_group / 2, 18, false, 256, 1, 4};

namespace detail {

/// The same where products round what they multiply, which have a name of their own.
constexpr format_traits rounding(format_traits traits, const char* name) {
  traits.name = name, traits.rounds_rows = true;
  return traits;
}

template <class format>
struct integer_name {
  char text[32] = {};
  constexpr integer_name() {
    char* to = text;
    for (const char* part : {"integer_products<", traits_of<format>.name, ">"})
      while (*part != 0) *to++ = *part++;
  }
};
template <class format>
inline constexpr integer_name<format> integer_name_of;

} // namespace detail

template <class format>
inline constexpr format_traits traits_of<integer_products<format>> =
    detail::rounding(traits_of<format>, detail::integer_name_of<format>.text);
template <>
inline constexpr format_traits traits_of<bf16_products> = detail::rounding(traits_of<bf16>, "bf16_products");

/// A format's place in the list below, of which f32 is the first.
enum class weight_format : std::uint8_t { f32 };

template <class... formats>
struct format_list {
  static constexpr format_traits traits[sizeof...(formats)] = {traits_of<formats>...};

  template <class type>
  static constexpr bool holds = (std::same_as<type, formats> || ...);
  template <class type>
  static constexpr weight_format place = [] {
    std::uint8_t at = 0;
    static_cast<void>(((std::same_as<type, formats> || (++at, false)) || ...));
    return weight_format{at};
  }();
  /// f(an empty value of the format) for each.
  template <class F>
  static void each(const F& f) {
    (f(formats{}), ...);
  }
};

/// All formats. What is said and done of each of them comes of this list, in the examples and tests too.
using all_formats = format_list<f32, f16, bf16, int8, q8_0, q4_0, q5_0, q4_k, q6_k, integer_products<int8>,
                                integer_products<q8_0>, integer_products<q4_0>, integer_products<q4_k>,
                                integer_products<q6_k>, bf16_products>;
// The same in the compiler's sentences, which take literals; tests/weights/weight_format.cpp compares them.
#define FOVEA_FORMATS                                                                                        \
  "f32, f16, bf16, int8, q8_0, q4_0, q5_0, q4_k, q6_k, bf16_products, or integer_products of int8, q8_0, "   \
  "q4_0, q4_k or q6_k"

/// Whether a type names a format of weights, f32 being one.
template <class type>
inline constexpr bool is_weight_format = all_formats::holds<type>;

/// The format that a type names; compile takes it as its backend.
template <class type>
inline constexpr weight_format format_named =
    is_weight_format<type> ? all_formats::place<type> : weight_format::f32;

constexpr const format_traits& traits(weight_format format) {
  return all_formats::traits[static_cast<unsigned>(format)];
}
constexpr bool sums_integers(weight_format format) { return traits(format).sums_integers(); }
constexpr bool rounds_rows(weight_format format) { return traits(format).rounds_rows; }
constexpr bool is_k(weight_format format) { return traits(format).is_k(); }
constexpr const char* name_of(weight_format format) { return traits(format).name; }

/// What a tensor of a file stays in where a format is wanted: in that of its type where files mix both, else in the wanted
/// one.
constexpr weight_format format_beside(weight_format wanted, element_type stored) {
  for (std::uint8_t at = 0; is_k(wanted) && at < std::size(all_formats::traits); ++at) {
    const format_traits& other = all_formats::traits[at];
    if (other.is_k() && other.stored == stored && other.rounds_rows == rounds_rows(wanted))
      return weight_format{at};
  }
  return wanted;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::bf16, core::bf16_products, core::f16, core::int8, core::integer_products, core::q4_0, core::q4_k,
    core::q5_0, core::q6_k, core::q8_0;
} // namespace fovea
