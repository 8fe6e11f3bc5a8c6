#pragma once

#include <limits>

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
  return g.add({.kind = kind, .type = type, .shape = s, .settings = {.along = {i, options.keep}}, .at = at},
               x);
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

/// Of each element along an axis the sum of those up to it, with itself. It has the shape of x.
constexpr expr cumsum(expr x, axis where, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::along(op::cumsum, x, where, at);
}

namespace detail {

/// How many elements an axis has, as a float32 number.
constexpr expr size_of_axis(graph& g, std::uint16_t size, source_place at) {
  if (g.is_number(size))
    return g.add(
        {.kind = op::constant, .settings = {.number = static_cast<double>(g.number(size))}, .at = at});
  const expr one = g.add({.kind = op::constant, .settings = {.number = 1}, .at = at});
  return max_over(to_float(range(one, g.dim_of(size), at), at), axis(0), {}, at) + located(1.0, at);
}

} // namespace detail

/// log of the sum of exp(x) over one axis, which disappears unless `.keep`; it overflows nowhere.
constexpr expr log_sum_exp(expr x, axis where, reduce_options options = {},
                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "log_sum_exp";
  if (!detail::is_float(x, at, word)) return {x.owner};
  const int i = detail::find_axis(x, where, at, word);
  if (i < 0) return {x.owner};
  const reported_at user(x, at.as(word));
  // It is the same whatever is subtracted: no gradient passes through that. Of an infinite largest, nothing.
  const expr largest = stop_gradient(max_over(x, axis(i), {.keep = true}));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const expr shift = core::where(abs(largest) == infinity, 0.0, largest);
  const expr all = log(sum(exp(x - shift), axis(i), {.keep = true})) + shift;
  return options.keep ? all : detail::without_axis(all, i, at);
}

struct variance_options {
  bool keep = false;  // keep the axis, with size 1
  int correction = 1; // the divisor is n - correction: 1 estimates, 0 is that of the elements themselves
};

/// The sum of (x - mean)^2 over one axis of n elements, divided by n - correction. Of n known only at run
/// time and not above the correction, infinity or NaN.
constexpr expr variance(expr x, axis where, variance_options options = {},
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "variance";
  if (!detail::is_float(x, at, word)) return {x.owner};
  graph& g = *x.owner;
  const int i = detail::find_axis(x, where, at, word);
  if (i < 0) return {&g};
  const std::uint16_t size = g.shape_of(x)[i];
  if (options.correction < 0)
    return g.fail(69, at, word, ": expected a correction of at least 0, found ", options.correction);
  if (g.is_number(size) && g.number(size) <= options.correction)
    return g.fail(70, at, word, ": a correction of ", options.correction, " leaves nothing of the ",
                  g.number(size), g.number(size) == 1 ? " element" : " elements", " of axis ", i, " of ", x);
  const reported_at user(x, at.as(word));
  const expr difference = x - mean(x, axis(i), {.keep = true}), square = difference * difference;
  if (options.correction == 0) return mean(square, axis(i), {.keep = options.keep});
  const expr total = sum(square, axis(i), {.keep = options.keep});
  return total / max(detail::size_of_axis(g, size, at) - options.correction, 0);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::argmax, core::cumsum, core::log_sum_exp, core::max_over, core::mean, core::min_over,
    core::reduce_options, core::sum, core::variance, core::variance_options;
} // namespace fovea
