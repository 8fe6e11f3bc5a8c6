#pragma once

#include <fovea/dsl/affine.hpp>
#include <fovea/dsl/axis.hpp>

namespace fovea::core {

/// Elements of x in an order, and where each of them is in x (int32).
struct order_result {
  expr values, indices;
};

/// Of x [..., n, ...] the elements at `indices` [..., m, ...] along an axis, int32 from 0 to n - 1 -> [...,
/// m, ...]. The other axes of the two are equal.
constexpr expr take_along(expr x, expr indices, axis where,
                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "take_along";
  if (x.owner == nullptr || !x.owner->usable(x, at, word) || !x.owner->usable(indices, at, word))
    return {x.owner};
  graph& g = *x.owner;
  if (g.nodes[indices.id].type != element::i32)
    return g.fail(362, at, word, ": expected int32 indices, found ", name_of(g.nodes[indices.id].type), " ",
                  indices, g.nodes[x.id].type == element::i32 ? "; the values come first" : "");
  const int i = detail::find_axis(x, where, at, word);
  if (i < 0) return {&g};
  const shape &from = g.shape_of(x), &s = g.shape_of(indices);
  bool fits = s.rank == from.rank;
  for (int k = 0; fits && k < s.rank; ++k) fits = k == i || s[k] == from[k];
  if (!fits)
    return g.fail(363, at, word, ": cannot take elements of ", x, " by indices ", indices, " along axis ", i,
                  ": the other axes must be equal");
  if (const std::int64_t count = detail::id_count(g, indices.id);
      g.is_number(from[i]) && count > g.number(from[i]))
    return g.fail(364, at, word, ": the indices ", indices, " are 0 to ", count - 1, ", and axis ", i, " of ",
                  x, " has ", g.number(from[i]), " elements");
  return g.add(
      {.kind = op::take_along, .type = g.nodes[x.id].type, .shape = s, .settings = {.along = {i}}, .at = at},
      x, indices);
}

/// The axis before the indices.
__attribute__((
    unavailable("the indices come before the axis, as in take_along(x, indices, -1) [F0373]"))) constexpr expr
take_along(expr x, int, expr) {
  return x;
}

namespace detail {

/// The first `count` of the last axis of x in an order.
constexpr order_result ordered(expr x, std::uint16_t count, bool ascending, source_place at) {
  graph& g = *x.owner;
  shape s = g.shape_of(x);
  s[-1] = count;
  const expr indices = g.add(
      {.kind = op::order, .type = element::i32, .shape = s, .settings = {.order = {ascending}}, .at = at}, x);
  return {take_along(x, indices, axis(-1), at), indices};
}

} // namespace detail

/// The k largest elements of the last axis, the largest first, of equals the one that comes first: x [..., n]
/// -> values and indices [..., k]. NaN is larger than all numbers. An axis known only at run time must have as
/// many.
constexpr order_result top_k(expr x, dim k, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "top_k";
  if (!detail::is_float(x, at, word) || detail::find_axis(x, axis(-1), at, word) < 0)
    return {{x.owner}, {x.owner}};
  graph& g = *x.owner;
  const dim n = x.size(-1), beyond = k - n;
  if (k.overflow || (k.is_number() && k.number() < 1) || (beyond.is_number() && beyond.number() > 0)) {
    const expr none =
        g.fail(365, at, word, ": expected 1 to ", n, " elements of the last axis of ", x, ", found ", k);
    return {none, none};
  }
  shape count;
  if (!g.make_shape(count, {k}, at, word)) return {{&g}, {&g}};
  return detail::ordered(x, count[0], false, at.as(word));
}

/// Of another axis.
__attribute__((unavailable(
    "top_k takes the last axis; bring another to the end by permute [F0374]"))) constexpr order_result
top_k(expr x, const dim&, int) {
  return {x, x};
}

struct sort_options {
  bool descending = false; // the largest first
};

/// The last axis in order, the smallest first, equals as they came: x [..., n] -> values and indices, of the
/// same shape. NaN is larger than all numbers.
constexpr order_result sort(expr x, sort_options options = {},
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "sort";
  if (!detail::is_float(x, at, word) || detail::find_axis(x, axis(-1), at, word) < 0)
    return {{x.owner}, {x.owner}};
  return detail::ordered(x, x.owner->shape_of(x)[-1], !options.descending, at.as(word));
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::order_result, core::sort, core::sort_options, core::take_along, core::top_k;
} // namespace fovea
