#pragma once

#include <fovea/dsl/elementwise.hpp>

namespace fovea::core {

namespace detail {

/// The size of x's last axis, which must be known at compile time; 0 after an error.
template <class word_type>
constexpr std::int64_t width_of(expr x, source_place at, const word_type& who) {
  graph& g = *x.owner;
  const shape& s = g.shape_of(x);
  if (s.rank == 0) {
    g.fail(39, at, who, ": expected features in the last axis, found a single number []");
    return 0;
  }
  if (!g.is_number(s[-1])) {
    g.fail(40, at, who, ": the last axis of ", x, " is ", g.dim_of(s[-1]),
           ", known only at run time; expected a number of features");
    return 0;
  }
  return g.number(s[-1]);
}

/// Whether a word may give so many features.
template <class word_type>
constexpr bool is_width(graph& g, const dim& out, source_place at, const word_type& who) {
  if (out.is_number() && !out.overflow && out.number() >= 1 && out.number() <= graph::largest_dim)
    return true;
  if (out.overflow)
    g.fail(41, at, who, ": ", graph::dim_overflow);
  else
    g.fail(42, at, who, ": expected a number of output features of 1 to ", graph::largest_dim, ", found ",
           out);
  return false;
}

/// Whether a word may compute with x: it is usable, and of float32.
template <class word_type>
constexpr bool is_float(expr x, source_place at, const word_type& who) {
  if (x.owner == nullptr || !x.owner->usable(x, at, who)) return false;
  graph& g = *x.owner;
  if (g.nodes[x.id].type == element::f32) return true;
  g.fail(43, at, who, ": expected float32, found ", name_of(g.nodes[x.id].type), " ", x,
         g.nodes[x.id].type == element::i32 ? "; use to_float, or embedding for ids"
                                            : "; use to_float or where");
  return false;
}

} // namespace detail

/// A parameter of the given shape, all numbers. Its name is taken as it is, after the scopes that live. `x`
/// says which graph it belongs to.
constexpr expr parameter(expr x, const name_text& name, std::initializer_list<dim> dims, init how = {},
                         source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->error.empty()) return {x.owner};
  graph& g = *x.owner;
  const graph::named who{"parameter", name};
  shape s;
  if (!g.make_shape(s, dims, at, who)) return {&g};
  for (int i = 0; i < s.rank; ++i)
    if (!g.is_number(s[i]))
      return g.fail(44, at, who, ": its shape ", s, " has ", g.dim_of(s[i]),
                    ", known only at run time; a parameter's dims are numbers");
  return g.add_parameter(name, s, how, at);
}

/// The same number everywhere; it broadcasts.
constexpr expr constant(expr x, double value, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->error.empty()) return {x.owner};
  return x.owner->add({.kind = op::constant, .settings = {.number = value}, .at = at});
}

/// 0, 1, ... as int32 [length], length being a dim of the model.
constexpr expr range(expr x, dim length, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->error.empty()) return {x.owner};
  shape s;
  if (!x.owner->make_shape(s, {length}, at, "range")) return {x.owner};
  return x.owner->add({.kind = op::range, .type = element::i32, .shape = s, .at = at}, x);
}

struct linear_options {
  bool bias = true;
  core::init init = {};
};

/// x W^T + b over the last axis: [..., in] -> [..., out]. Makes name.weight [out, in] and name.bias [out], as
/// PyTorch does.
constexpr expr linear(expr x, const name_text& name, dim out, linear_options options = {},
                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const graph::named who{"linear", name};
  if (!detail::is_float(x, at, who)) return {x.owner};
  graph& g = *x.owner;
  if (detail::width_of(x, at, who) == 0) return {&g};
  if (!detail::is_width(g, out, at, who)) return {&g};
  const scope inside(&g, name, scope_name::no_index, at);
  shape s = g.shape_of(x), matrix, vector;
  vector.push(g.intern(out));
  matrix.push(vector[0]), matrix.push(s[-1]);
  s[-1] = vector[0];
  const expr weight = g.add_parameter("weight", matrix, options.init, at);
  if (!options.bias) return g.add({.kind = op::linear, .shape = s, .at = at}, x, weight);
  const expr bias = g.add_parameter("bias", vector, init::zeros(), at);
  return g.add({.kind = op::linear, .shape = s, .at = at}, x, weight, bias);
}

/// The width before the name.
constexpr expr linear(expr x, const dim& out, const char* name, linear_options = {},
                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr) return {};
  return x.owner->fail(332, at, "linear: the name comes before the width, as in linear(x, \"", name, "\", ",
                       out, ")");
}

/// x W^T + b by parameters that are made already: x [..., in], weight [out, in], bias [out] or none -> [...,
/// out]. For weights that several uses share.
constexpr expr linear(expr x, expr weight, expr bias = {},
                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const graph::named who{"linear"};
  if (!detail::is_float(x, at, who) || !x.owner->usable(weight, at, who)) return {x.owner};
  graph& g = *x.owner;
  const std::int64_t in = detail::width_of(x, at, who);
  if (in == 0) return {&g};
  const node& w = g.nodes[weight.id];
  if (w.kind != op::parameter || w.shape.rank != 2 || g.number(w.shape[1]) != in)
    return g.fail(45, at, who, ": expected a parameter [out, ", in, "] to multiply ", x, " by, found ",
                  weight);
  shape s = g.shape_of(x);
  s[-1] = w.shape[0];
  if (bias.owner == nullptr) return g.add({.kind = op::linear, .shape = s, .at = at}, x, weight);
  if (!g.usable(bias, at, who)) return {&g};
  const node& b = g.nodes[bias.id];
  if (b.kind != op::parameter || b.shape.rank != 1 || b.shape[0] != w.shape[0])
    return g.fail(46, at, who, ": expected a parameter [", g.dim_of(w.shape[0]), "] as the bias, found ",
                  bias);
  return g.add({.kind = op::linear, .shape = s, .at = at}, x, weight, bias);
}

/// x with its last two axes exchanged.
constexpr expr transpose(expr x, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr || !x.owner->usable(x, at, "transpose")) return {x.owner};
  graph& g = *x.owner;
  shape s = g.shape_of(x);
  if (s.rank < 2) return g.fail(47, at, "transpose: expected at least two axes, found ", x);
  const std::uint16_t last = s[-1];
  s[-1] = s[-2], s[-2] = last;
  return g.add({.kind = op::transpose, .type = g.nodes[x.id].type, .shape = s, .at = at}, x);
}

/// With axes, as elsewhere.
constexpr expr transpose(expr x, int, int, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x.owner == nullptr) return {};
  return x.owner->fail(333, at,
                       "transpose: it exchanges the last two axes and is told none; permute(x, {0, 2, 1}) "
                       "gives axes another order");
}

/// Matrix product of the last two axes: [..., m, k] x [..., k, n] -> [..., m, n]; leading axes broadcast.
constexpr expr matmul(expr a, expr b, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (!detail::is_float(a, at, "matmul") || !a.owner->usable(b, at, "matmul") ||
      !detail::is_float(b, at, "matmul"))
    return {a.owner};
  graph& g = *a.owner;
  const shape &x = g.shape_of(a), &y = g.shape_of(b);
  if (x.rank < 2 || y.rank < 2)
    return g.fail(48, at, "matmul: expected at least two axes on both sides, found ", a, " and ", b);
  if (x[-1] != y[-2])
    return g.fail(49, at, "matmul: cannot multiply ", a, " by ", b, ": the inner sizes are ", g.dim_of(x[-1]),
                  " and ", g.dim_of(y[-2]),
                  x[-1] == y[-1]   ? "; transpose the right side"
                  : x[-2] == y[-2] ? "; transpose the left side"
                                   : "; they must be equal");
  shape leading_x = x, leading_y = y, s;
  leading_x.rank = static_cast<std::uint8_t>(x.rank - 2),
  leading_y.rank = static_cast<std::uint8_t>(y.rank - 2);
  if (!detail::broadcast(g, leading_x, leading_y, s))
    return g.fail(50, at, "matmul: the leading axes of ", a, " and ", b,
                  " do not fit; all but the last two are equal, missing or 1");
  s.push(x[-2]);
  s.push(y[-1]);
  return g.add({.kind = op::matmul, .shape = s, .at = at}, a, b);
}

namespace detail {

/// How many ids there are, from 0, that a value may hold: of positions and of places of elements; 0 of
/// others, or where it is known only at run time.
constexpr std::int64_t id_count(const graph& g, int id) {
  while (g.nodes[id].kind == op::reshape) id = g.operand(id, 0);
  const node& n = g.nodes[id];
  std::uint16_t d = 0;
  if (n.kind == op::range) d = n.shape[0];
  if (n.kind == op::argmax) d = g.nodes[g.operand(id, 0)].shape[n.settings.along.axis];
  if (n.kind == op::order) d = g.nodes[g.operand(id, 0)].shape[-1];
  return d != 0 && g.is_number(d) ? g.number(d) : 0;
}

} // namespace detail

/// Rows of a table by number: table [n, ...], ids [...] of int32 -> [ids..., ...].
constexpr expr gather(expr table, expr ids, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (table.owner == nullptr || !table.owner->usable(table, at, "gather") ||
      !table.owner->usable(ids, at, "gather"))
    return {table.owner};
  graph& g = *table.owner;
  if (g.nodes[ids.id].type != element::i32)
    return g.fail(51, at, "gather: expected int32 ids, found ", name_of(g.nodes[ids.id].type), " ", ids,
                  g.nodes[table.id].type == element::i32 ? "; the table comes first" : "");
  const shape& rows = g.shape_of(table);
  if (rows.rank < 1) return g.fail(52, at, "gather: expected a table of at least one axis, found ", table);
  if (const std::int64_t count = detail::id_count(g, ids.id);
      g.is_number(rows[0]) && count > g.number(rows[0]))
    return g.fail(53, at, "gather: the ids ", ids, " are 0 to ", count - 1, ", and the table ", table,
                  " has ", g.number(rows[0]), " rows");
  shape s = g.shape_of(ids);
  if (s.rank + rows.rank - 1 > shape::max_rank)
    return g.fail(54, at, "gather: rows of ", table, " by ids ", ids, " would have more than ",
                  shape::max_rank, " axes");
  for (int i = 1; i < rows.rank; ++i) s.push(rows[i]);
  return g.add({.kind = op::gather, .type = g.nodes[table.id].type, .shape = s, .at = at}, table, ids);
}

/// A learned vector for each id: ids [...] of int32 -> [..., width]. Makes name.weight [count, width].
constexpr expr embedding(expr ids, const name_text& name, dim count, dim width, init how = {},
                         source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const graph::named who{"embedding", name};
  if (ids.owner == nullptr || !ids.owner->usable(ids, at, who)) return {ids.owner};
  graph& g = *ids.owner;
  if (g.nodes[ids.id].type != element::i32)
    return g.fail(55, at, who, ": expected int32 ids, found ", name_of(g.nodes[ids.id].type), " ", ids);
  const scope inside(&g, name, scope_name::no_index, at);
  return gather(parameter(ids, "weight", {count, width}, how, at), ids, at.as(who.word));
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::constant, core::embedding, core::gather, core::linear, core::linear_options, core::matmul,
    core::parameter, core::range, core::transpose;
} // namespace fovea
