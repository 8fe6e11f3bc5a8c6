#pragma once

#include <fovea/dsl/affine.hpp>
#include <fovea/dsl/reduce.hpp>
#include <fovea/dsl/shape_words.hpp>

namespace fovea::core::detail {

/// What the rule of an operation is given, as `site`:
///   site.n            the operation
///   site.d            the gradient of the loss with respect to its result, of the result's shape
///   site.x(k)         the value of operand k
///   site.y()          the value of the result
///   site.wants(k)     whether operand k has a gradient
///   site.pass(k, g)   adds g to the gradient of operand k
///   site.pass_product(k, a, b)  adds a^T b, summed over all axes but the last:
///                               a [..., m], b [..., n] -> [m, n]
/// A rule is written in the words of the vocabulary; what it makes belongs to the graph of gradients.

/// The sum of x, or its largest value, over what broadcasting to its shape repeated of `s`.
constexpr expr reduced_by(op kind, expr x, const shape& s, source_place at) {
  if (!x.valid()) return x;
  graph& g = *x.owner;
  const shape from = g.shape_of(x);
  if (const int extra = from.rank - s.rank; extra > 0) {
    // The missing leading axes, as one.
    shape leading, joint;
    for (int i = 0; i < extra; ++i) leading.push(from[i]);
    joint.push(g.intern(elements_of(g, leading)));
    for (int i = extra; i < from.rank; ++i) joint.push(from[i]);
    x = reduce(kind, reshape_to(x, joint, at), axis(0), {}, at);
  }
  for (int i = 0; i < s.rank; ++i)
    if (x.valid() && g.shape_of(x)[i] != s[i]) x = reduce(kind, x, axis(i), {.keep = true}, at);
  return x;
}
constexpr expr reduced_to(expr x, const shape& s, source_place at) { return reduced_by(op::sum, x, s, at); }

/// Passes to the first operands what one operation gives of all of them, one behind the other, as one axis.
template <class S>
constexpr void pass_parts(S& site, expr all, int count) {
  if (!all.valid()) return;
  const source_place at = site.n.at;
  dim begin = 0;
  for (int k = 0; k < count; ++k) {
    const dim end = begin + elements_of(*all.owner, site.shape_of(k));
    if (site.wants(k)) site.pass(k, reshape_to(slice(all, axis(0), begin, end, at), site.shape_of(k), at));
    begin = end;
  }
}

/// x repeated to a shape that it broadcasts to.
constexpr expr stretched_to(expr x, const shape& s, source_place at) {
  if (!x.valid() || x.owner->shape_of(x) == s) return x;
  return x.owner->add({.kind = op::broadcast, .type = x.owner->nodes[x.id].type, .shape = s, .at = at}, x);
}

/// Zeros, or another number, of a shape.
constexpr expr filled(graph& g, double value, const shape& s, source_place at) {
  return stretched_to(g.add({.kind = op::constant, .settings = {.number = value}, .at = at}), s, at);
}

/// All axes but the last, as one: [rows, width].
constexpr expr as_matrix(expr x, source_place at) {
  if (!x.valid()) return x;
  graph& g = *x.owner;
  shape leading = g.shape_of(x), s;
  --leading.rank;
  s.push(g.intern(elements_of(g, leading)));
  s.push(g.shape_of(x)[-1]);
  return reshape_to(x, s, at);
}

/// x with its last two axes exchanged; what was exchanged before is only put back, and of a product a^T b it
/// is b^T a.
constexpr expr transposed(expr x, source_place at) {
  if (!x.valid()) return x;
  graph& g = *x.owner;
  const auto is_turned = [&g](std::int32_t id) { return g.nodes[id].kind == op::transpose; };
  const auto operand = [&g](std::int32_t id, int k) { return expr{&g, g.operand(id, k)}; };
  if (is_turned(x.id)) return operand(x.id, 0);
  if (g.nodes[x.id].kind == op::matmul && g.shape_of(x).rank == 2 && is_turned(g.operand(x.id, 0)))
    return matmul(transpose(operand(x.id, 1), at), operand(g.operand(x.id, 0), 0), at);
  return transpose(x, at);
}

/// The reduced axis back in its place with size 1.
constexpr expr with_axis(expr x, const shape& before, int axis, source_place at) {
  if (!x.valid()) return x;
  shape s = before;
  s[axis] = x.owner->intern(1);
  return reshape_to(x, s, at);
}

} // namespace fovea::core::detail
