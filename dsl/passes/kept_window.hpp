#pragma once

#include <cstdint>

#include <fovea/dsl/plan/mask_bounds.hpp>
#include <fovea/dsl/sliding_window.hpp>

namespace fovea {

/// How far back a recorded mask lets a query see, where that does not depend on where the query is: a stream
/// then keeps so many keys and values, and counts positions from the first that it keeps.

namespace detail {

/// By how much a node's value grows when the query and all keys move on by one position, or not_linear.
constexpr int shift_of(const scalar_function& f, int id) {
  const scalar_node& n = f.nodes[id];
  if (n.kind == op::query_position || n.kind == op::key_position) return 1;
  int shifts[4] = {};
  bool any = false;
  for (int k = 0; k < n.operand_count; ++k) {
    shifts[k] = shift_of(f, n.operands[k]);
    if (shifts[k] == not_linear) return not_linear;
    any |= shifts[k] != 0;
  }
  if (!any) return 0;
  switch (n.kind) {
    case op::add:
      return shifts[0] + shifts[1];
    case op::subtract:
      return shifts[0] - shifts[1];
    case op::negate:
      return -shifts[0];
    case op::to_float:
      return shifts[0];
    case op::less:
    case op::less_equal:
    case op::equal:
      return shifts[0] == shifts[1] ? 0 : not_linear;
    default:
      return not_linear;
  }
}

/// Whether a node is a sum of positions and numbers.
constexpr bool is_of_positions(const scalar_function& f, int id) {
  const scalar_node& n = f.nodes[id];
  if (n.kind == op::query_position || n.kind == op::key_position) return true;
  if (n.kind == op::constant) return n.type == element::i32;
  if (n.kind != op::add && n.kind != op::subtract && n.kind != op::negate) return false;
  for (int k = 0; k < n.operand_count; ++k)
    if (!is_of_positions(f, n.operands[k])) return false;
  return true;
}
/// Its value where both positions are 0.
constexpr std::int64_t number_of(const scalar_function& f, int id) {
  const scalar_node& n = f.nodes[id];
  const auto of = [&](int k) { return number_of(f, n.operands[k]); };
  return n.kind == op::constant   ? static_cast<std::int64_t>(n.number)
         : n.kind == op::add      ? of(0) + of(1)
         : n.kind == op::subtract ? of(0) - of(1)
         : n.kind == op::negate   ? -of(0)
                                  : 0;
}

/// The most positions up to its own that node `id` of a mask shows a query, 0: any number.
constexpr std::int64_t reach_of(const scalar_function& f, int id) {
  const scalar_node& n = f.nodes[id];
  if (n.kind == op::logical_and || n.kind == op::logical_or) {
    const std::int64_t a = reach_of(f, n.operands[0]), b = reach_of(f, n.operands[1]);
    if (n.kind == op::logical_and) return a == 0 ? b : b == 0 || a < b ? a : b;
    return a == 0 || b == 0 ? 0 : a > b ? a : b;
  }
  // query + number < key, <= or ==.
  if (comparison_factor(f, id) != -1 || shift_of(f, id) != 0) return 0;
  if (!is_of_positions(f, n.operands[0]) || !is_of_positions(f, n.operands[1])) return 0;
  const std::int64_t number = number_of(f, n.operands[0]) - number_of(f, n.operands[1]);
  const std::int64_t reach = n.kind == op::less ? -number : 1 - number;
  return reach < 1 ? 1 : reach;
}

} // namespace detail

/// Whether a mask or score is the same for a query and a key that both lie so many positions later.
constexpr bool counts_distances_only(const scalar_function& f) {
  return detail::shift_of(f, f.count - 1) == 0;
}

/// The positions before a query's own that a mask lets it see at most, or 0: any number. At least 1 where
/// there is a bound.
constexpr std::int32_t kept_window(const scalar_function& mask) {
  if (!counts_distances_only(mask)) return 0;
  const std::int64_t reach = detail::reach_of(mask, mask.count - 1);
  if (reach == 0 || reach > sliding_window::largest) return 0;
  return static_cast<std::int32_t>(reach < 2 ? 1 : reach - 1);
}

} // namespace fovea
