#pragma once

#include <fovea/dsl/gradients/site.hpp>

namespace fovea::core::detail {

/// y = x W^T + b: dx = dy W, dW = dy^T x, db = dy summed over rows.
template <class S>
constexpr void linear_gradient(S& site) {
  const source_place at = site.n.at;
  if (site.wants(0))
    site.pass(0, reshape_to(matmul(as_matrix(site.d, at), site.x(1), at), site.shape_of(0), at));
  if (site.wants(1)) site.pass_product(1, site.d, site.x(0));
  if (site.n.operand_count > 2 && site.wants(2)) site.pass_column_sums(2, site.d);
}

/// y = a b: da = dy b^T, db = a^T dy, summed over axes that broadcast.
template <class S>
constexpr void matmul_gradient(S& site) {
  const source_place at = site.n.at;
  const expr b = site.x(1);
  if (site.wants(0)) {
    const expr d = site.shape_of(1).rank == 2 ? as_matrix(site.d, at) : site.d;
    shape s = site.d.owner->shape_of(site.d);
    s[-1] = site.shape_of(0)[-1];
    site.pass(0, reshape_to(matmul(d, transposed(b, at), at), s, at));
  }
  if (!site.wants(1)) return;
  if (site.shape_of(1).rank == 2)
    site.pass_product(1, site.x(0), site.d);
  else
    site.pass(1, matmul(transposed(site.x(0), at), site.d, at));
}

/// y = x W^T of the expert of each row: dx = dy W, summed over the experts that have multiplied one row; of
/// each expert dW = dy^T x, over its rows.
template <class S>
constexpr void expert_linear_gradient(S& site) {
  graph& g = *site.d.owner;
  const source_place at = site.n.at;
  if (site.wants(0)) {
    shape s = g.shape_of(site.d);
    s[-1] = site.shape_of(0)[-1];
    const expr each =
        g.add({.kind = op::expert_linear_gradient, .shape = s, .at = at}, site.d, site.x(1), site.x(2));
    site.pass(0, site.shape_of(0).rank == s.rank ? each : sum(each, axis(-2), {}, at));
  }
  if (site.wants(1))
    site.pass(1, g.add({.kind = op::expert_weight_gradient, .shape = site.shape_of(1), .at = at}, site.d,
                       site.x(0), site.x(2)));
}

/// Rows of a table: what came of a row is added to it.
template <class S>
constexpr void gather_gradient(S& site) {
  if (!site.wants(0)) return;
  graph& g = *site.d.owner;
  site.pass(0,
            g.add({.kind = op::scatter_add, .shape = site.shape_of(0), .at = site.n.at}, site.x(1), site.d));
}

/// Elements by their places: what came of an element is added to it.
template <class S>
constexpr void take_along_gradient(S& site) {
  if (!site.wants(0)) return;
  site.pass(0, site.d.owner->add({.kind = op::take_along_gradient,
                                  .shape = site.shape_of(0),
                                  .settings = site.n.settings,
                                  .at = site.n.at},
                                 site.x(1), site.d));
}

} // namespace fovea::core::detail
