#pragma once

#include <array>
#include <cstdint>

#include <fovea/dsl/affine.hpp>

namespace fovea::core {

/// An axis, where a word takes one: by the dim that it has (T), or by its position, 0 or -1.
struct axis {
  int position = 0;
  dim named = 0;
  bool by_position = false;
  source_place at; // where it was written

  constexpr axis() = default;
  constexpr axis(int i, source_place where = {__builtin_FILE(), __builtin_LINE()})
      : position(i), by_position(true), at(where) {}
  constexpr axis(const dim& d, source_place where = {__builtin_FILE(), __builtin_LINE()})
      : named(d), at(where) {}
};

namespace detail {

/// The position of an axis in x, or -1 after an error, which begins with `who`.
template <class word_type>
constexpr int find_axis(expr x, const axis& which, source_place at, const word_type& who) {
  graph& g = *x.owner;
  const shape& s = g.shape_of(x);
  if (which.by_position) {
    const int i = which.position < 0 ? s.rank + which.position : which.position;
    if (i >= 0 && i < s.rank) return i;
    if (s.rank == 0)
      g.fail(71, at, who, ": there is no axis ", which.position, " in [], a single number");
    else
      g.fail(72, at, who, ": there is no axis ", which.position, " in ", x, "; its axes are 0 to ",
             s.rank - 1);
    return -1;
  }
  int found = -1;
  for (int i = 0; i < s.rank; ++i)
    if (g.dim_of(s[i]) == which.named) {
      if (found >= 0) {
        g.fail(73, at, who, ": ", which.named, " occurs twice in ", x, "; say axis(", found, ") or axis(", i,
               ")");
        return -1;
      }
      found = i;
    }
  if (found < 0) g.fail(74, at, who, ": there is no axis ", which.named, " in ", x);
  return found;
}

constexpr dim elements_of(const graph& g, const shape& s) {
  dim numbers = 1, others = 1;
  for (int i = 0; i < s.rank; ++i)
    if (g.is_number(s[i]))
      numbers = numbers * g.number(s[i]);
    else
      others = others * g.dim_of(s[i]);
  return others * numbers;
}

/// x under a shape of as many elements; x itself where that is its shape.
constexpr expr reshape_to(expr x, const shape& s, source_place at) {
  if (!x.valid() || x.owner->shape_of(x) == s) return x;
  return x.owner->add({.kind = op::reshape, .type = x.owner->nodes[x.id].type, .shape = s, .at = at}, x);
}

/// x with its axes in another order, of which each occurs once; x itself where that is their order.
constexpr expr permute_axes(expr x, const int (&order)[shape::max_rank], source_place at) {
  if (!x.valid()) return x;
  graph& g = *x.owner;
  const shape& from = g.shape_of(x);
  shape s;
  permute_settings settings;
  bool same = true;
  for (int i = 0; i < from.rank; ++i) {
    settings.order[i] = static_cast<std::int8_t>(order[i]);
    same &= order[i] == i;
    s.push(from[order[i]]);
  }
  if (same) return x;
  return g.add({.kind = op::permute,
                .type = g.nodes[x.id].type,
                .shape = s,
                .settings = {.permute = settings},
                .at = at},
               x);
}

/// The dim that stands for the -1 among others, so that x keeps the number of its elements; 0 after an error.
constexpr dim inferred(expr x, std::initializer_list<dim> dims, source_place at) {
  graph& g = *x.owner;
  const dim from = elements_of(g, g.shape_of(x));
  dim others = 1;
  for (const dim& d : dims)
    if (!(d == dim(-1))) others = others * d;
  if (from.overflow || others.overflow) {
    g.fail(75, at, "cannot reshape ", x, ": the number of elements is too long an expression to compare");
    return 0;
  }
  const dim made = exact_quotient(from, others);
  if (!made.overflow) return made;
  g.fail(76, at, "cannot reshape ", x, ": the ", from, " elements are no multiple of ", others,
         ", what the axes beside -1 hold");
  return 0;
}

} // namespace detail

/// The same elements in the same order under another shape; the number of elements must agree. One dim may be
/// -1: as large as that needs it to be.
constexpr expr reshape(expr x, std::initializer_list<dim> dims,
                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "reshape")) return {x.owner};
  graph& g = *x.owner;
  dim whole[shape::max_rank + 1] = {}; // one more than it may have, for the sentence
  std::size_t rank = 0;
  bool inferred = false;
  for (const dim& d : dims) {
    if (rank > shape::max_rank) break;
    const bool open = d == dim(-1) && !d.overflow;
    if (open && inferred) return g.fail(77, at, "reshape: at most one axis may be -1, found two");
    inferred |= open;
    whole[rank++] = open ? detail::inferred(x, dims, at) : d;
  }
  if (!g.error.empty()) return {&g};
  shape s;
  if (!g.make_shape(s, std::span<const dim>(whole, rank), at, "reshape")) return {&g};
  const dim from = detail::elements_of(g, g.shape_of(x)), to = detail::elements_of(g, s);
  if (from.overflow || to.overflow)
    return g.fail(78, at, "cannot reshape ", x, " to ", s,
                  ": the number of elements is too long an expression to compare");
  if (!(from == to)) return g.fail(79, at, "cannot reshape ", x, " to ", s, ": ", from, " elements and ", to);
  return g.add({.kind = op::reshape, .type = g.nodes[x.id].type, .shape = s, .at = at}, x);
}

/// x with a new axis of size 1 before position `where`.
constexpr expr unsqueeze(expr x, int where, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "unsqueeze")) return {x.owner};
  graph& g = *x.owner;
  const shape& from = g.shape_of(x);
  const int i = where < 0 ? from.rank + 1 + where : where;
  if (i < 0 || i > from.rank)
    return g.fail(80, at, "unsqueeze: there is no place ", where, " in ", x, "; its places are 0 to ",
                  static_cast<int>(from.rank));
  if (from.rank == shape::max_rank)
    return g.fail(81, at, "unsqueeze: ", x, " has ", shape::max_rank, " axes already");
  shape s;
  for (int k = 0; k <= from.rank; ++k) {
    if (k == i) s.push(g.intern(1));
    if (k < from.rank) s.push(from[k]);
  }
  return g.add({.kind = op::reshape, .type = g.nodes[x.id].type, .shape = s, .at = at.as("unsqueeze")}, x);
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

/// Axes in a new order: axis i of the result is axis order[i] of x.
constexpr expr permute(expr x, std::initializer_list<int> order,
                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "permute")) return {x.owner};
  graph& g = *x.owner;
  const shape& from = g.shape_of(x);
  int axes[shape::max_rank] = {}, count = 0;
  std::int32_t seen = 0;
  for (int i : order) {
    const int k = i < 0 ? from.rank + i : i;
    if (k < 0 || k >= from.rank)
      return g.fail(84, at, "permute: there is no axis ", i, " in ", x, "; its axes are 0 to ",
                    from.rank - 1);
    if ((seen >> k & 1) != 0)
      return g.fail(85, at, "permute: axis ", i, " of ", x, " is named twice; expected each axis once");
    seen |= 1 << k;
    axes[count++] = k;
  }
  if (count != from.rank)
    return g.fail(86, at, "permute: expected each of the ", static_cast<int>(from.rank), " axes of ", x,
                  " once, found ", count);
  return detail::permute_axes(x, axes, at);
}

/// x repeated to a larger shape: axes of size 1 and missing leading axes stretch.
constexpr expr broadcast(expr x, std::initializer_list<dim> dims,
                         source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "broadcast")) return {x.owner};
  graph& g = *x.owner;
  shape s, joint;
  if (!g.make_shape(s, dims, at, "broadcast")) return {&g};
  if (!detail::broadcast(g, g.shape_of(x), s, joint) || !(joint == s))
    return g.fail(87, at, "cannot broadcast ", x, " to ", s,
                  ": only axes of 1 and missing leading axes stretch");
  return g.add({.kind = op::broadcast, .type = g.nodes[x.id].type, .shape = s, .at = at}, x);
}

/// Zeros of a shape, what most recurrences start from; x says in which graph.
constexpr expr zeros(expr x, std::initializer_list<dim> dims,
                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  at = at.as("zeros");
  return broadcast(constant(x, 0, at), dims, at);
}

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

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::axis, core::broadcast, core::concat, core::last, core::one_hot, core::pad, core::permute,
    core::reshape, core::reverse, core::roll, core::slice, core::split, core::stack, core::unsqueeze,
    core::zeros;
} // namespace fovea
