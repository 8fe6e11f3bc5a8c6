#pragma once

#include <fovea/dsl/shape_words.hpp>

namespace fovea::core {

struct reduce_options {
  bool keep = false; // keep the axis, with size 1
};

namespace detail {

constexpr expr reduce(op kind, expr x, const axis& where, reduce_options options, source_place at) {
  if (!is_float(x, at, word_of(kind))) return {x.owner};
  graph& g = *x.owner;
  const int i = find_axis(x, where, at, word_of(kind));
  if (i < 0) return {&g};
  shape s;
  for (int k = 0; k < g.shape_of(x).rank; ++k) {
    if (k != i)
      s.push(g.shape_of(x)[k]);
    else if (options.keep)
      s.push(g.intern(1));
  }
  const element type = kind == op::argmax ? element::i32 : element::f32;
  return g.add({.kind = kind, .type = type, .shape = s, .attributes = {i, options.keep}, .at = at}, x);
}

} // namespace detail

/// Over one axis, named by its dim or axis(i), which disappears unless `.keep`.
constexpr expr sum(expr x, axis where, reduce_options options = {},
                   source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::reduce(op::sum, x, where, options, at);
}
constexpr expr mean(expr x, axis where, reduce_options options = {},
                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::reduce(op::mean, x, where, options, at);
}
constexpr expr max_over(expr x, axis where, reduce_options options = {},
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::reduce(op::max_over, x, where, options, at);
}
constexpr expr min_over(expr x, axis where, reduce_options options = {},
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::reduce(op::min_over, x, where, options, at);
}
/// The position of the largest element, the first of equals, as int32.
constexpr expr argmax(expr x, axis where, reduce_options options = {},
                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::reduce(op::argmax, x, where, options, at);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::argmax, core::max_over, core::mean, core::min_over, core::reduce_options, core::sum;
} // namespace fovea
