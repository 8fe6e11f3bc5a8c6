#pragma once

#include <cstdint>

#include <fovea/dsl/plan/mask_bounds.hpp>
#include <fovea/dsl/sliding_window.hpp>

namespace fovea::core {

/// How far back a recorded mask lets a query see, where that does not depend on where the query is: a stream
/// then keeps so many keys and values, and counts positions from the first that it keeps.

namespace detail {

/// For each table that a lambda captures the axis along which it has the rows of the new queries alone, or
/// -1: such a table moves with its queries.
struct query_axes {
  int of[scalar_function::max_captures] = {-1, -1, -1, -1};
};

/// By how much a node's value grows when the query and all keys move on by one position, or not_linear.
constexpr int shift_of(const scalar_function& f, int id, const query_axes& moving = {}) {
  const scalar_node& n = f.nodes[id];
  if (n.kind == op::query_position || n.kind == op::key_position) return 1;
  int shifts[4] = {};
  bool any = false;
  for (int k = 0; k < n.operand_count; ++k) {
    if (n.kind == op::table_at && moving.of[n.capture] == k) continue;
    shifts[k] = shift_of(f, n.operands[k], moving);
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

inline constexpr std::int64_t any_number_ahead = std::int64_t{1} << 40;

/// How far beyond its own position node `id` of a mask lets a query see at most, or any_number_ahead.
constexpr std::int64_t ahead_of(const scalar_function& f, int id) {
  const scalar_node& n = f.nodes[id];
  if (n.kind == op::logical_and || n.kind == op::logical_or) {
    const std::int64_t a = ahead_of(f, n.operands[0]), b = ahead_of(f, n.operands[1]);
    return (a < b) == (n.kind == op::logical_and) ? a : b;
  }
  // key + number < query, <= or ==; query + number == key.
  const int factor = comparison_factor(f, id);
  if ((factor != 1 && (factor != -1 || n.kind != op::equal)) || shift_of(f, id) != 0) return any_number_ahead;
  if (!is_of_positions(f, n.operands[0]) || !is_of_positions(f, n.operands[1])) return any_number_ahead;
  const std::int64_t number = number_of(f, n.operands[0]) - number_of(f, n.operands[1]);
  return factor == -1 ? number : n.kind == op::less ? -number - 1 : -number;
}

} // namespace detail

/// Whether a mask or score is the same for a query and a key that both lie so many positions later.
constexpr bool counts_distances_only(const scalar_function& f, const detail::query_axes& moving = {}) {
  return detail::shift_of(f, f.count - 1, moving) == 0;
}

/// How far beyond its own position a mask lets a query see: 0 or less, not at all; any_number_ahead where
/// nothing in it says.
constexpr std::int64_t farthest_ahead(const scalar_function& mask) {
  const std::int64_t ahead = detail::ahead_of(mask, mask.count - 1);
  return mask.looks_ahead ? ahead : ahead < 0 ? ahead : 0;
}

/// The positions before a query's own that a mask lets it see at most, or 0: any number. At least 1 where
/// there is a bound.
constexpr std::int32_t kept_window(const scalar_function& mask, const detail::query_axes& moving = {}) {
  if (!counts_distances_only(mask, moving)) return 0;
  const std::int64_t reach = detail::reach_of(mask, mask.count - 1);
  if (reach == 0 || reach > sliding_window::largest) return 0;
  return static_cast<std::int32_t>(reach < 2 ? 1 : reach - 1);
}

} // namespace fovea::core
