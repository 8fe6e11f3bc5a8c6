#pragma once

#include <fovea/dsl/activation.hpp>
#include <fovea/dsl/affine.hpp>
#include <fovea/dsl/reduce.hpp>
#include <fovea/dsl/scope.hpp>
#include <fovea/dsl/select.hpp>
#include <fovea/dsl/shape_words.hpp>

namespace fovea::core {

/// x W^T by the weights that each row chooses among those of `count` experts. which [..., active] of int32,
/// from 0 to count - 1, names the experts of a row. x [..., in] is multiplied by all of them, x [..., active,
/// in] has a row of its own for each -> [..., active, out]. Makes name.weight [count * out, in], the rows of
/// one expert behind those of another. Each expert multiplies its rows alone.
constexpr expr expert_linear(expr x, expr which, const name_text& name, int count, dim out, init how = {},
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const graph::named who{"expert_linear", name};
  if (!detail::is_float(x, at, who) || !x.owner->usable(which, at, who)) return {x.owner};
  graph& g = *x.owner;
  const std::int64_t in = detail::width_of(x, at, who);
  if (in == 0 || !detail::is_width(g, out, at, who)) return {&g};
  if (count < 1 || count > graph::largest_dim / out.number())
    return g.fail(366, at, who, ": expected 1 to ", graph::largest_dim / out.number(), " experts, found ",
                  count);
  const shape &rows = g.shape_of(x), &chosen = g.shape_of(which);
  bool fits = g.nodes[which.id].type == element::i32 && chosen.rank >= 1 && chosen.rank < shape::max_rank &&
              (rows.rank == chosen.rank || rows.rank == chosen.rank + 1);
  for (int i = 0; fits && i + 1 < rows.rank; ++i) fits = rows[i] == chosen[i];
  if (!fits)
    return g.fail(367, at, who, ": expected int32 experts of each row of ", x, ", [..., active], found ",
                  name_of(g.nodes[which.id].type), " ", which);
  if (const std::int64_t ids = detail::id_count(g, which.id); ids > count)
    return g.fail(368, at, who, ": the experts ", which, " are 0 to ", ids - 1, ", and there are ", count);
  const scope inside(&g, name, scope_name::no_index, at);
  shape matrix, s = chosen;
  matrix.push(g.intern(count * out.number())), matrix.push(rows[-1]);
  s.push(g.intern(out));
  return g.add({.kind = op::expert_linear, .shape = s, .at = at}, x,
               g.add_parameter("weight", matrix, how, at), which);
}

struct experts_options {
  int active;              // experts of each row: those with the largest gates
  bool normalised = false; // the gates of a row's experts are divided by their sum
  core::init init = {};
};

/// A mixture of experts: of each row those `active` with the largest gates, down(silu(gate(x)) * up(x)) of
/// each times its gate, summed (Shazeer et al. 2017; Shazeer 2020). x [..., width], gates [..., count] -> [...,
/// width]. Makes name.gate.weight, name.up.weight [count * inner, width] and name.down.weight [count * width,
/// inner], as expert_linear does.
constexpr expr experts(expr x, expr gates, const name_text& name, dim inner, experts_options options,
                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const graph::named who{"experts", name};
  if (!detail::is_float(x, at, who) || !x.owner->usable(gates, at, who) || !detail::is_float(gates, at, who))
    return {x.owner};
  graph& g = *x.owner;
  const std::int64_t width = detail::width_of(x, at, who), count = detail::width_of(gates, at, who);
  if (width == 0 || count == 0) return {&g};
  if (options.active < 1 || options.active > count)
    return g.fail(369, at, who, ": expected 1 to ", count, " active experts, as many as gates ", gates,
                  " has, found ", options.active);
  const reported_at user(x, at.as("experts"));
  const scope inside(&g, name, scope_name::no_index, at);
  auto [weights, which] = top_k(gates, options.active);
  if (options.normalised) weights = weights / sum(weights, axis(-1), {.keep = true});
  const int all = static_cast<int>(count);
  const expr gate = expert_linear(x, which, "gate", all, inner, options.init),
             up = expert_linear(x, which, "up", all, inner, options.init),
             down = expert_linear(silu(gate) * up, which, "down", all, width, options.init);
  return sum(down * unsqueeze(weights, -1), axis(-2));
}

/// What makes experts share the rows: count * sum over experts of the share of rows that choose it, which are
/// those where its gate is one of the `active` largest, and of its mean gate (Fedus et al. 2022, eq. 4). It
/// is `active` where all are chosen alike. gates [..., count], each row a softmax -> [].
constexpr expr expert_balance(expr gates, int active,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "expert_balance";
  if (!detail::is_float(gates, at, word)) return {gates.owner};
  graph& g = *gates.owner;
  const std::int64_t count = detail::width_of(gates, at, word);
  if (count == 0) return {&g};
  if (active < 1 || active > count)
    return g.fail(370, at, word, ": expected 1 to ", count, " active experts, as many as gates ", gates,
                  " has, found ", active);
  const reported_at user(gates, at.as(word));
  const expr rows = reshape(gates, {-1, count});
  const expr least = slice(top_k(rows, active).values, axis(-1), active - 1, active);
  const expr share = mean(to_float(least <= rows), axis(0)), gate = mean(rows, axis(0));
  return sum(share * gate, axis(0)) * static_cast<double>(count);
}

/// What keeps the scores of a router small, so that their softmax stays exact: the mean over rows of
/// log(sum over experts of exp(score))^2 (Zoph et al. 2022, eq. 5). scores [..., count] -> [].
constexpr expr expert_z_loss(expr scores, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "expert_z_loss";
  if (!detail::is_float(scores, at, word)) return {scores.owner};
  const std::int64_t count = detail::width_of(scores, at, word);
  if (count == 0) return {scores.owner};
  const reported_at user(scores, at.as(word));
  const expr z = log_sum_exp(reshape(scores, {-1, count}), axis(1));
  return mean(z * z, axis(0));
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::expert_balance, core::expert_linear, core::expert_z_loss, core::experts, core::experts_options;
} // namespace fovea
