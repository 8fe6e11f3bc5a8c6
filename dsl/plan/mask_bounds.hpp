#pragma once

#include <cstdint>

#include <fovea/dsl/scalar.hpp>

namespace fovea::core {

/// Which keys a recorded mask lets a query see, where that is a range of keys: causal, window, padding and
/// prefix, joined by & (and by | where each part reaches from the first key on). Attention then skips what
/// lies outside and masks nothing inside. Other masks have a range around what they show, and are evaluated
/// key by key inside it.

namespace detail {

/// Whether a node's value depends on a position of the given kind.
constexpr bool depends_on(const scalar_function& f, int id, op position) {
  const scalar_node& n = f.nodes[id];
  if (n.kind == position) return true;
  for (int k = 0; k < n.operand_count; ++k)
    if (depends_on(f, n.operands[k], position)) return true;
  return false;
}

inline constexpr int not_linear = 99;

/// The factor of the key position in a node's value, or not_linear.
constexpr int key_factor(const scalar_function& f, int id) {
  const scalar_node& n = f.nodes[id];
  if (n.kind == op::key_position) return 1;
  if (!depends_on(f, id, op::key_position)) return 0;
  if (n.type != element::i32) return not_linear;
  const int a = key_factor(f, n.operands[0]);
  if (n.kind == op::negate) return a == not_linear ? a : -a;
  if (n.kind != op::add && n.kind != op::subtract) return not_linear;
  const int b = key_factor(f, n.operands[1]);
  if (a == not_linear || b == not_linear) return not_linear;
  return n.kind == op::add ? a + b : a - b;
}

/// The factor of the key position in left - right of a comparison, or not_linear.
constexpr int comparison_factor(const scalar_function& f, int id) {
  const scalar_node& n = f.nodes[id];
  if (n.kind != op::less && n.kind != op::less_equal && n.kind != op::equal) return not_linear;
  for (int k = 0; k < 2; ++k)
    if (f.nodes[n.operands[k]].type != element::i32) return not_linear;
  if (depends_on(f, id, op::head_index) || depends_on(f, id, op::score)) return not_linear;
  const int a = key_factor(f, n.operands[0]), b = key_factor(f, n.operands[1]);
  if (a == not_linear || b == not_linear || a - b > 1 || a - b < -1) return not_linear;
  return a - b;
}

/// Whether a node shows every key before one that depends on the query and the batch row alone.
constexpr bool is_prefix(const scalar_function& f, int id) {
  const scalar_node& n = f.nodes[id];
  if (n.kind == op::logical_and || n.kind == op::logical_or)
    return is_prefix(f, n.operands[0]) && is_prefix(f, n.operands[1]);
  const int factor = comparison_factor(f, id);
  return factor == 0 || (factor == 1 && n.kind != op::equal);
}

} // namespace detail

/// Whether the keys that node `id` shows are a range, for every query.
constexpr bool is_range(const scalar_function& f, int id) {
  const scalar_node& n = f.nodes[id];
  if (n.kind == op::logical_and) return is_range(f, n.operands[0]) && is_range(f, n.operands[1]);
  if (n.kind == op::logical_or)
    return detail::is_prefix(f, n.operands[0]) && detail::is_prefix(f, n.operands[1]);
  return detail::comparison_factor(f, id) != detail::not_linear;
}
constexpr bool is_range(const scalar_function& f) { return is_range(f, f.count - 1); }

/// Keys first <= k < last.
struct key_range {
  std::int64_t first = 0, last = 0;
};

/// The range of keys outside which node `id` shows none. `value(node)` is a node's value at the query with
/// key position 0.
template <class values>
constexpr key_range range_around(const scalar_function& f, int id, std::int64_t keys, const values& value) {
  const scalar_node& n = f.nodes[id];
  if (n.kind == op::logical_and || n.kind == op::logical_or) {
    const key_range a = range_around(f, n.operands[0], keys, value),
                    b = range_around(f, n.operands[1], keys, value);
    if (n.kind == op::logical_and)
      return {a.first > b.first ? a.first : b.first, a.last < b.last ? a.last : b.last};
    if (a.first >= a.last) return b;
    if (b.first >= b.last) return a;
    return {a.first < b.first ? a.first : b.first, a.last > b.last ? a.last : b.last};
  }
  const int factor = detail::comparison_factor(f, id);
  if (factor == detail::not_linear) return {0, keys};
  // factor * key + difference is compared with 0.
  const std::int64_t difference =
      static_cast<std::int64_t>(value(n.operands[0])) - static_cast<std::int64_t>(value(n.operands[1]));
  key_range r{0, keys};
  if (factor == 0) {
    const bool shown = n.kind == op::less         ? difference < 0
                       : n.kind == op::less_equal ? difference <= 0
                                                  : difference == 0;
    if (!shown) r.last = 0;
  } else if (n.kind == op::equal) {
    const std::int64_t only = -difference * factor;
    r = {only, only + 1};
  } else if (factor == 1) {
    r.last = n.kind == op::less ? -difference : -difference + 1;
  } else {
    r.first = n.kind == op::less ? difference + 1 : difference;
  }
  if (r.first < 0) r.first = 0;
  if (r.last > keys) r.last = keys;
  if (r.last < r.first) r.last = r.first;
  return r;
}

} // namespace fovea::core
