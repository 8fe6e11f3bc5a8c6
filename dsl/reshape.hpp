#pragma once

#include <cstdint>
#include <span>

#include <fovea/dsl/affine.hpp>

namespace fovea::core {

namespace detail {

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

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::broadcast, core::permute, core::reshape, core::unsqueeze, core::zeros;
} // namespace fovea
