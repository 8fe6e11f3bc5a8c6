#pragma once

// What a graph has beside its nodes.

#include <cstdint>

#include <fovea/dsl/dim.hpp>
#include <fovea/dsl/sentence.hpp>

namespace fovea::core {

namespace detail {

/// The numbers that the layers of a repeat have in names: first, first + step, ...
struct layer_numbers {
  std::int32_t first = 0, step = 1;
};

/// ".*", or ".{3*i+1}".
constexpr void write_layers(sentence& s, layer_numbers layers) {
  if (layers.step == 1) {
    s << ".*";
    return;
  }
  s << ".{" << layers.step << "*i";
  if (layers.first > 0) s << '+' << layers.first;
  s << '}';
}
/// Whether so many numbers of the one and so many of the other have one in common.
constexpr bool numbers_meet(layer_numbers a, std::int64_t count_a, layer_numbers b, std::int64_t count_b) {
  const std::int64_t last_a = a.first + (count_a - 1) * a.step, last_b = b.first + (count_b - 1) * b.step;
  if (last_a < b.first || last_b < a.first) return false;
  // Of each b.step numbers of a that are among b's bounds, one is b's, if any is.
  const std::int64_t from = a.first >= b.first ? 0 : (b.first - a.first + a.step - 1) / a.step;
  for (std::int64_t i = from; i < count_a && i < from + b.step; ++i)
    if (const std::int64_t number = a.first + i * a.step;
        number <= last_b && (number - b.first) % b.step == 0)
      return true;
  return false;
}

} // namespace detail

/// A name, made of the scope it was given in and its own text; index >= 0 adds ".index", any_layer adds the
/// numbers of a repeat's layers, as ".*" or ".{3*i+1}".
struct scope_name {
  static constexpr int no_index = -1, any_layer = -2;
  std::uint16_t parent = 0;
  const char* text = "";
  std::int32_t copied = -1; // else the text begins there among those of the graph
  int index = no_index;
  std::uint32_t hash = 2166136261u; // of the whole path with its closing dot
  detail::layer_numbers layers = {};
};

/// How a parameter begins when it is not loaded.
struct init {
  enum class kind : std::uint8_t { standard, zeros, ones, constant, normal, uniform, xavier, he, orthogonal };
  kind how = kind::standard;
  double scale = 0;

  /// Whether the number is one: a constant is any, a deviation, bound or gain at least 0.
  constexpr bool possible() const { return is_finite(scale) && (how == kind::constant || scale >= 0); }

  static constexpr init zeros() { return {kind::zeros, 0}; }
  static constexpr init ones() { return {kind::ones, 1}; }
  static constexpr init constant(double value) { return {kind::constant, value}; }
  static constexpr init normal(double deviation) { return {kind::normal, deviation}; }
  static constexpr init uniform(double bound) { return {kind::uniform, bound}; }
  static constexpr init xavier(double gain = 1) { return {kind::xavier, gain}; }
  static constexpr init he(double gain = 1) { return {kind::he, gain}; }
  static constexpr init orthogonal(double gain = 1) { return {kind::orthogonal, gain}; }
};

struct parameter_entry {
  std::uint16_t scope = 0;
  const char* text = "";
  std::int32_t copied = -1; // as of a scope
  std::int32_t node = 0;
  std::int32_t gathered = -1,
               gradient = -1; // what training makes of it: its value after a step, its gradient
  std::uint32_t hash = 0;
  std::int32_t next_of_hash = -1;
  core::init init = {};
  std::int8_t split_axis = -1; // of which each rank of several has a part
};
struct named_value {
  const char* name = "";
  std::int32_t node = 0;
  std::int32_t gradient = -1; // of an input, where one is made
};

/// The body of a repeat, run `count` times, or of a scan, run for each step of the dim `time`: nodes first <=
/// i < last. Its first `carried` nodes are what it carries.
struct region_entry {
  static constexpr int max_carried = 32;
  std::uint8_t parent = 0;
  std::int32_t first = 0, last = 0;
  std::int32_t count = 1, carried = 0;
  std::int32_t results[max_carried] = {};
  std::uint16_t time = 0; // 0: a repeat
  bool reversed = false;  // from the last step or layer to the first
  bool recompute = false; // its values are computed again for its gradient rather than kept

  constexpr bool is_scan() const { return time != 0; }
};

/// The name that the user gave a number, for sentences; empty where the same number has two.
struct dim_label {
  char text[dim::max_name + 1] = {};
  bool ambiguous = false;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::init;
} // namespace fovea
