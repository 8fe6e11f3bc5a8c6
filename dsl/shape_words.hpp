#pragma once

#include <array>
#include <concepts>
#include <cstdint>

#include <fovea/dsl/axis.hpp>
#include <fovea/dsl/reshape.hpp>

namespace fovea::core {

/// The elements from <= i < to of an axis. `from` and `to` are dims of the model; numbers below 0 count from
/// the end.
constexpr expr slice(expr x, axis where, dim from, dim to,
                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "slice")) return {x.owner};
  graph& g = *x.owner;
  const int i = detail::find_axis(x, where, at, "slice");
  if (i < 0) return {&g};
  shape s = g.shape_of(x);
  const dim size = g.dim_of(s[i]);
  if (from.is_number() && from.number() < 0) from = size + from;
  if (to.is_number() && to.number() < 0) to = size + to;
  const dim length = to - from;
  const dim beyond = to - size;
  if ((from.is_number() && from.number() < 0) || (beyond.is_number() && beyond.number() > 0))
    return g.fail(88, at, "slice: from ", from, " to ", to, " is outside the axis of ", size, " in ", x);
  if (length.is_number() && length.number() < 1)
    return g.fail(89, at, "slice: from ", from, " to ", to,
                  " holds nothing; expected at least one element of ", x);
  s[i] = g.intern(length);
  const std::uint16_t first = g.intern(from.is_number() ? dim(from.number()) : from);
  return g.add({.kind = op::slice,
                .type = g.nodes[x.id].type,
                .shape = s,
                .settings = {.slice = {i, first}},
                .at = at},
               x);
}

namespace detail {

/// The last place of an axis, as an axis of 1.
constexpr expr last_along(expr x, int axis, source_place at) {
  graph& g = *x.owner;
  shape s = g.shape_of(x);
  const std::uint16_t first = g.intern(g.dim_of(s[axis]) - 1);
  s[axis] = g.intern(1);
  return g.add({.kind = op::slice,
                .type = g.nodes[x.id].type,
                .shape = s,
                .settings = {.slice = {axis, first}},
                .at = at},
               x);
}

/// x without an axis of 1; with axis -1, as it is.
constexpr expr without_axis(expr x, int axis, source_place at) {
  if (!x.valid() || axis < 0) return x;
  const shape& from = x.owner->shape_of(x);
  shape s;
  for (int i = 0; i < from.rank; ++i)
    if (i != axis) s.push(from[i]);
  return reshape_to(x, s, at);
}

} // namespace detail

/// What x is at the last place of an axis, which it is then without: of [B, T, 64] along T [B, 64]. A stream
/// along T gives what is there after each step.
constexpr expr last(expr x, axis where, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "last")) return {x.owner};
  const int i = detail::find_axis(x, where, at, "last");
  if (i < 0) return {x.owner};
  at = at.as("last");
  return detail::without_axis(detail::last_along(x, i, at), i, at);
}

/// n equal parts of the last axis, side by side.
template <std::size_t n>
constexpr std::array<expr, n> split(expr x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  std::array<expr, n> parts{};
  if (x.owner == nullptr || !x.owner->usable(x, at, "split")) {
    parts.fill({x.owner});
    return parts;
  }
  const std::int64_t width = detail::width_of(x, at, "split");
  constexpr auto count = static_cast<std::int64_t>(n);
  if (width != 0 && width % count != 0)
    x.owner->fail(90, at, "split: the ", width, " features of ", x, " do not divide into ", count,
                  " equal parts");
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::int64_t>(i);
    parts[i] = x.owner->error.empty()
                   ? slice(x, axis(-1), k * width / count, (k + 1) * width / count, at.as("split"))
                   : expr{x.owner};
  }
  return parts;
}

/// Values joined along an axis; the other axes agree. At most 16 values.
template <std::convertible_to<expr>... exprs>
constexpr expr concat(axis where, expr x, const exprs&... others) {
  const source_place at = where.at;
  if (x.owner == nullptr || !x.owner->usable(x, at, "concat")) return {x.owner};
  graph& g = *x.owner;
  static_assert(sizeof...(others) < 16, "concat joins at most 16 values [F0279]");
  const std::array<expr, sizeof...(others)> more{static_cast<expr>(others)...};
  const int i = detail::find_axis(x, where, at, "concat");
  if (i < 0) return {&g};
  shape s = g.shape_of(x);
  dim length = g.dim_of(s[i]);
  for (const expr y : more) {
    if (!g.usable(y, at, "concat")) return {&g};
    const shape& other = g.shape_of(y);
    if (g.nodes[y.id].type != g.nodes[x.id].type)
      return g.fail(91, at, "concat: cannot join ", name_of(g.nodes[x.id].type), " ", x, " and ",
                    name_of(g.nodes[y.id].type), " ", y);
    bool fits = other.rank == s.rank;
    for (int k = 0; fits && k < s.rank; ++k) fits = k == i || other[k] == s[k];
    if (!fits)
      return g.fail(92, at, "concat: cannot join ", x, " and ", y, " along axis ", i,
                    ": the other axes must be equal");
  }
  for (const expr y : more) length = length + y.size(i);
  s[i] = g.intern(length);
  return g.add(
      {.kind = op::concat, .type = g.nodes[x.id].type, .shape = s, .settings = {.along = {i}}, .at = at}, x,
      static_cast<expr>(others)...);
}

/// Without the axis, or with it behind the values.
template <class... values>
__attribute__((unavailable("the axis comes first, as in concat(-1, x, y) [F0335]"))) constexpr expr
concat(expr x, const values&...) {
  return x;
}

/// Values of one shape beside each other along a new axis, by its position in the result: two of [B, 64]
/// along axis 1 are [B, 2, 64]. At most 16 values.
template <std::convertible_to<expr>... exprs>
constexpr expr stack(axis where, expr x, const exprs&... others) {
  constexpr const char* word = "stack";
  const source_place at = where.at;
  if (x.owner == nullptr || !x.owner->usable(x, at, word)) return {x.owner};
  graph& g = *x.owner;
  static_assert(sizeof...(others) < 16, "stack joins at most 16 values [F0280]");
  if (!where.by_position)
    return g.fail(93, at, word, ": the new axis is named by its position, as 0 or -1, found ", where.named);
  const int i = where.position < 0 ? x.rank() + 1 + where.position : where.position;
  if (i < 0 || i > x.rank())
    return g.fail(94, at, word, ": there is no place ", where.position, " in ", x, "; its places are 0 to ",
                  x.rank());
  if (x.rank() == shape::max_rank)
    return g.fail(95, at, word, ": ", x, " has ", shape::max_rank, " axes already");
  for (const expr y : std::array<expr, sizeof...(others)>{static_cast<expr>(others)...}) {
    if (!g.usable(y, at, word)) return {&g};
    if (!(g.shape_of(y) == g.shape_of(x)) || g.nodes[y.id].type != g.nodes[x.id].type)
      return g.fail(96, at, word, ": cannot join ", name_of(g.nodes[x.id].type), " ", x, " and ",
                    name_of(g.nodes[y.id].type), " ", y, "; their types and shapes must be equal");
  }
  const reported_at user(x, at.as(word));
  if constexpr (sizeof...(others) == 0)
    return unsqueeze(x, i);
  else
    return concat(i, unsqueeze(x, i), unsqueeze(static_cast<expr>(others), i)...);
}

/// x moved by `by` places along an axis, to later ones where it is positive; what leaves at one end enters at
/// the other. An axis known only at run time must be longer than that.
constexpr expr roll(expr x, axis where, int by, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "roll";
  if (x.owner == nullptr || !x.owner->usable(x, at, word)) return {x.owner};
  graph& g = *x.owner;
  const int i = detail::find_axis(x, where, at, word);
  if (i < 0) return {&g};
  const dim size = x.size(i);
  std::int64_t places = by;
  if (size.is_number()) places %= size.number();
  if (places == 0) return x;
  // What enters at the front begins here.
  const dim first = places > 0 ? size - places : dim(-places);
  const reported_at user(x, at.as(word));
  return concat(i, slice(x, i, first, size), slice(x, i, 0, first));
}

/// `before` and `after` copies of `value` around an axis.
constexpr expr pad(expr x, axis where, int before, int after, double value = 0,
                   source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "pad")) return {x.owner};
  graph& g = *x.owner;
  const int i = detail::find_axis(x, where, at, "pad");
  if (i < 0) return {&g};
  if (before < 0 || after < 0 || before > graph::largest_dim / 2 || after > graph::largest_dim / 2)
    return g.fail(97, at, "pad: expected counts of 0 to ", graph::largest_dim / 2, ", found ", before,
                  " and ", after);
  shape s = g.shape_of(x);
  s[i] = g.intern(g.dim_of(s[i]) + before + after);
  return g.add({.kind = op::pad,
                .type = g.nodes[x.id].type,
                .shape = s,
                .settings = {.pad = {i, before, after, value}},
                .at = at},
               x);
}

namespace detail {

/// An operation along an axis that gives the same shape.
constexpr expr along(op kind, expr x, const axis& where, source_place at) {
  if (!is_float(x, at, word_of(kind))) return {x.owner};
  const int i = find_axis(x, where, at, word_of(kind));
  if (i < 0) return {x.owner};
  return x.owner->add({.kind = kind, .shape = x.owner->shape_of(x), .settings = {.along = {i}}, .at = at}, x);
}

} // namespace detail

/// An axis in reverse order.
constexpr expr reverse(expr x, axis where, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "reverse")) return {x.owner};
  graph& g = *x.owner;
  const int i = detail::find_axis(x, where, at, "reverse");
  if (i < 0) return {&g};
  return g.add({.kind = op::reverse,
                .type = g.nodes[x.id].type,
                .shape = g.shape_of(x),
                .settings = {.along = {i}},
                .at = at},
               x);
}

/// 1 at the place of each id and 0 elsewhere, as float32: int32 [...] -> [..., n]. Of an id outside 0 to n -
/// 1 all are 0.
constexpr expr one_hot(expr ids, dim n, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "one_hot";
  if (ids.owner == nullptr || !ids.owner->usable(ids, at, word)) return {ids.owner};
  graph& g = *ids.owner;
  if (g.nodes[ids.id].type != element::i32)
    return g.fail(82, at, word, ": expected int32 ids, found ", name_of(g.nodes[ids.id].type), " ", ids);
  if (ids.rank() == shape::max_rank)
    return g.fail(83, at, word, ": ", ids, " has ", shape::max_rank, " axes already");
  shape classes;
  if (!g.make_shape(classes, {n}, at, word)) return {&g};
  const reported_at user(ids, at.as(word));
  return to_float(unsqueeze(ids, -1) == range(ids, n));
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::concat, core::last, core::one_hot, core::pad, core::reverse, core::roll, core::slice, core::split,
    core::stack;
} // namespace fovea
