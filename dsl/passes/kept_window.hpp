#pragma once

#include <array>
#include <cstddef>
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

/// By how much each node's value grows when the query and all keys move on by one position, or not_linear.
constexpr auto shifts_of(const scalar_function& f, const query_axes& moving = {}) {
  return f.each<int>([&](const scalar_node& n, const auto& of) {
    if (n.kind == op::query_position || n.kind == op::key_position) return 1;
    int shifts[4] = {};
    bool any = false;
    for (int k = 0; k < n.operand_count; ++k) {
      if (n.kind == op::table_at && moving.of[n.capture] == k) continue;
      shifts[k] = of(k);
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
  });
}

/// A sum of positions and numbers: its value where both positions are 0.
struct position_sum {
  bool is_one = false;
  std::int64_t number = 0;
};
constexpr auto position_sums(const scalar_function& f) {
  return f.each<position_sum>([](const scalar_node& n, const auto& of) -> position_sum {
    switch (n.kind) {
      case op::query_position:
      case op::key_position:
        return {true, 0};
      case op::constant:
        return {n.type == element::i32, static_cast<std::int64_t>(n.number)};
      case op::add:
        return {of(0).is_one && of(1).is_one, of(0).number + of(1).number};
      case op::subtract:
        return {of(0).is_one && of(1).is_one, of(0).number - of(1).number};
      case op::negate:
        return {of(0).is_one, -of(0).number};
      default:
        return {};
    }
  });
}

/// A comparison of a mask as factor * key + number + query ..., alike wherever the query is.
struct distance_bound {
  int factor = not_linear; // of the key position; not_linear where it is no such comparison
  std::int64_t number = 0;
};
constexpr auto distance_bounds(const scalar_function& f) {
  const auto factors = comparison_factors(f);
  const auto shifts = shifts_of(f);
  const auto sums = position_sums(f);
  std::array<distance_bound, scalar_function::max_nodes> made{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(f.count); ++i) {
    if (factors[i] == not_linear || shifts[i] != 0) continue;
    const position_sum &left = sums[static_cast<std::size_t>(f.nodes[i].operands[0])],
                       &right = sums[static_cast<std::size_t>(f.nodes[i].operands[1])];
    if (left.is_one && right.is_one) made[i] = {factors[i], left.number - right.number};
  }
  return made;
}

/// The most positions up to its own that a mask shows a query, 0: any number.
constexpr std::int64_t reach_of(const scalar_function& f) {
  const auto bounds = distance_bounds(f);
  return f.of_result<std::int64_t>([&](const scalar_node& n, const auto& of) -> std::int64_t {
    if (n.kind == op::logical_and) return of(0) == 0 ? of(1) : of(1) == 0 || of(0) < of(1) ? of(0) : of(1);
    if (n.kind == op::logical_or) return of(0) == 0 || of(1) == 0 ? 0 : of(0) > of(1) ? of(0) : of(1);
    // query + number < key, <= or ==; key + number == query.
    const distance_bound& b = bounds[f.index_of(n)];
    if (b.factor != -1 && (b.factor != 1 || n.kind != op::equal)) return 0;
    const std::int64_t number = b.factor * b.number, reach = n.kind == op::less ? number : number + 1;
    return reach < 1 ? 1 : reach;
  });
}

inline constexpr std::int64_t any_number_ahead = std::int64_t{1} << 40;

/// How far beyond its own position a mask lets a query see at most, or any_number_ahead.
constexpr std::int64_t ahead_of(const scalar_function& f) {
  const auto bounds = distance_bounds(f);
  return f.of_result<std::int64_t>([&](const scalar_node& n, const auto& of) -> std::int64_t {
    if (n.kind == op::logical_and || n.kind == op::logical_or)
      return (of(0) < of(1)) == (n.kind == op::logical_and) ? of(0) : of(1);
    // key + number < query, <= or ==; query + number == key.
    const distance_bound& b = bounds[f.index_of(n)];
    if (b.factor == -1 && n.kind == op::equal) return b.number;
    if (b.factor != 1) return any_number_ahead;
    return n.kind == op::less ? -b.number - 1 : -b.number;
  });
}

} // namespace detail

/// Whether a mask or score is the same for a query and a key that both lie so many positions later.
constexpr bool counts_distances_only(const scalar_function& f, const detail::query_axes& moving = {}) {
  return detail::shifts_of(f, moving)[f.result()] == 0;
}

/// How far beyond its own position a mask lets a query see: 0 or less, not at all; any_number_ahead where
/// nothing in it says.
constexpr std::int64_t farthest_ahead(const scalar_function& mask) {
  const std::int64_t ahead = detail::ahead_of(mask);
  return mask.looks_ahead ? ahead : ahead < 0 ? ahead : 0;
}

/// The positions before a query's own that a mask lets it see at most, or 0: any number. At least 1 where
/// there is a bound.
constexpr std::int32_t kept_window(const scalar_function& mask, const detail::query_axes& moving = {}) {
  if (!counts_distances_only(mask, moving)) return 0;
  const std::int64_t reach = detail::reach_of(mask);
  if (reach == 0 || reach > sliding_window::largest) return 0;
  return static_cast<std::int32_t>(reach < 2 ? 1 : reach - 1);
}

} // namespace fovea::core
