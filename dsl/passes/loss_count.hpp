#pragma once

#include <fovea/dsl/graph_view.hpp>

namespace fovea::core::detail {

/// Whether a node is a number that counts: a sum of what to_float makes of integers or of what is so.
constexpr bool is_count(const graph_view& g, int id) {
  if (g.at(id).kind != op::sum || g.at(id).shape.rank != 0) return false;
  while (g.at(id).kind == op::sum || g.at(id).kind == op::reshape) id = g.operand(id, 0);
  return g.at(id).kind == op::to_float;
}

/// What a loss is a mean over, where it says so: n of total / max(n, 1), as in cross_entropy, or of a number
/// times that. -1: it does not say.
constexpr int find_count(const graph_view& g, int loss) {
  const auto is_number = [&g](int id) { return g.at(id).kind == op::constant; };
  for (int id = loss; id >= 0;) {
    const node& n = g.at(id);
    if (n.kind != op::multiply && n.kind != op::divide) return -1;
    const int left = g.operand(id, 0), right = g.operand(id, 1);
    if (is_number(right)) {
      id = left;
    } else if (n.kind == op::multiply) {
      id = is_number(left) ? right : -1;
    } else {
      if (g.at(right).kind != op::maximum) return -1;
      const int count = g.operand(right, 0), least = g.operand(right, 1);
      return is_number(least) && g.at(least).settings.number == 1 && is_count(g, count) ? count : -1;
    }
  }
  return -1;
}

} // namespace fovea::core::detail
