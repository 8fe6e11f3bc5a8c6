#pragma once

#include <fovea/dsl/gradients/site.hpp>

namespace fovea::core::detail {

/// layer_norm and rms_norm over the last axis, with n = (x - mean) r or x r, r = 1 / sqrt(variance + epsilon)
/// and e = dy weight: dx = r (e - mean(e) - n mean(e n)), without mean(e) for rms_norm; dweight = dy n and
/// dbias = dy, summed over rows. One operation gives all three:
///   layer_norm_gradient, rms_norm_gradient  operands: x, dy, the weight if there is one;
///                                           dx, dweight and dbias one behind the other, as one axis
template <class S>
constexpr void row_norm_gradient(S& site) {
  graph& g = *site.d.owner;
  const shape whole = site.shape_of(0);
  node made{.kind = site.n.kind == op::layer_norm ? op::layer_norm_gradient : op::rms_norm_gradient,
            .settings = site.n.settings,
            .at = site.n.at};
  made.shape.push(g.intern(elements_of(g, whole) + g.dim_of(whole[-1]) * 2));
  const expr all = g.add(made, site.x(0), site.d);
  if (site.n.operand_count > 1 && all.valid()) g.add_operand(site.x(1));
  pass_parts(site, all, site.n.operand_count);
}

/// batch_norm by its stored statistics: a scale and a shift of each feature.
template <class S>
constexpr void batch_norm_gradient(S& site) {
  const source_place at = site.n.at;
  const auto l = [at](expr e) { return located(e, at); };
  const expr r = located(1.0, at) / l(sqrt(l(site.x(4)) + located(site.n.settings.norm.epsilon, at), at));
  if (site.wants(0)) site.pass(0, l(site.d) * l(l(site.x(1)) * l(r)));
  if (site.wants(1)) site.pass(1, l(site.d) * l(l(l(site.x(0)) - l(site.x(3))) * l(r)));
  if (site.wants(2)) site.pass_column_sums(2, site.d);
}

/// group_norm: a norm of [batch, positions * features] for each group, as layer_norm's.
template <class S>
constexpr void group_norm_gradient(S& site) {
  const source_place at = site.n.at;
  graph& g = *site.d.owner;
  const auto l = [at](expr e) { return located(e, at); };
  const shape whole = site.shape_of(0);
  const std::int64_t groups = site.n.settings.norm.groups, width = g.number(whole[-1]);
  // [batch, positions, groups, features of a group] -> [batch, groups, all of a group]
  shape inner = whole, parts, rows;
  --inner.rank;
  shape positions;
  for (int i = 1; i < inner.rank; ++i) positions.push(inner[i]);
  parts.push(whole[0]), parts.push(g.intern(elements_of(g, positions)));
  parts.push(g.intern(groups)), parts.push(g.intern(width / groups));
  shape turned = parts;
  turned[1] = parts[2], turned[2] = parts[1];
  rows.push(turned[0]), rows.push(turned[1]);
  rows.push(g.intern(g.dim_of(turned[2]) * g.dim_of(turned[3])));
  constexpr int exchange[shape::max_rank] = {0, 2, 1, 3};
  const auto grouped = [&](expr e) {
    return reshape_to(permute_axes(reshape_to(e, parts, at), exchange, at), rows, at);
  };
  const auto back = [&](expr e) {
    return reshape_to(permute_axes(reshape_to(e, turned, at), exchange, at), whole, at);
  };
  const auto mean_of = [&](expr e) { return mean(e, axis(-1), {.keep = true}, at); };
  const expr x = grouped(site.x(0));
  const expr from_mean = l(x) - l(mean_of(x));
  const expr variance = mean_of(l(from_mean) * l(from_mean));
  const expr r = located(1.0, at) / l(sqrt(l(variance) + located(site.n.settings.norm.epsilon, at), at));
  const expr n = l(from_mean) * l(r);
  if (site.n.operand_count > 1 && site.wants(1)) site.pass(1, l(site.d) * l(back(n)));
  if (site.n.operand_count > 2 && site.wants(2)) site.pass_column_sums(2, site.d);
  if (!site.wants(0)) return;
  const expr e = grouped(site.n.operand_count > 1 ? l(site.d) * l(site.x(1)) : site.d);
  const expr along = l(n) * l(mean_of(l(e) * l(n)));
  site.pass(0, back(l(l(l(e) - l(mean_of(e))) - l(along)) * l(r)));
}

/// y = softmax(x): dx = y (dy - sum(dy y)); y = log_softmax(x): dx = dy - exp(y) sum(dy).
template <class S>
constexpr void softmax_gradient(S& site) {
  const source_place at = site.n.at;
  const auto l = [at](expr e) { return located(e, at); };
  const expr y = site.y(), d = site.d;
  const axis over(site.n.settings.along.axis);
  if (site.n.kind == op::softmax)
    site.pass(0, l(y) * l(l(d) - l(sum(l(d) * l(y), over, {.keep = true}, at))));
  else
    site.pass(0, l(d) - l(l(exp(y, at)) * l(sum(d, over, {.keep = true}, at))));
}

} // namespace fovea::core::detail
