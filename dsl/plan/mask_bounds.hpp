#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <fovea/dsl/scalar.hpp>

namespace fovea::core {

/// Which keys a recorded mask lets a query see, where that is a range of keys: causal, window, padding and
/// prefix, joined by & (and by | where each part reaches from the first key on). Attention then skips what
/// lies outside and masks nothing inside. Other masks have a range around what they show, and are evaluated
/// key by key inside it.

namespace detail {

/// Of each node whether its value depends on a position of one of the given kinds.
template <std::same_as<op>... kinds>
constexpr auto dependent_on(const scalar_function& f, kinds... positions) {
  return f.each<bool>([&](const scalar_node& n, const auto& of) {
    bool depends = ((n.kind == positions) || ...);
    for (int k = 0; k < n.operand_count; ++k) depends |= of(k);
    return depends;
  });
}

inline constexpr int not_linear = 99;

/// The factor of the key position in each node's value, or not_linear.
constexpr auto key_factors(const scalar_function& f) {
  return f.each<int>([](const scalar_node& n, const auto& of) {
    if (n.kind == op::key_position) return 1;
    bool depends = false, linear = true;
    for (int k = 0; k < n.operand_count; ++k) depends |= of(k) != 0, linear &= of(k) != not_linear;
    if (!depends) return 0;
    if (!linear || n.type != element::i32) return not_linear;
    return n.kind == op::negate     ? -of(0)
           : n.kind == op::add      ? of(0) + of(1)
           : n.kind == op::subtract ? of(0) - of(1)
                                    : not_linear;
  });
}

/// Of each node that compares, the factor of the key position in left - right; of others, or where it is not
/// -1, 0 or 1, not_linear.
constexpr auto comparison_factors(const scalar_function& f) {
  const auto factors = key_factors(f);
  const auto varies = dependent_on(f, op::head_index, op::score);
  std::array<int, scalar_function::max_nodes> made{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(f.count); ++i) {
    const scalar_node& n = f.nodes[i];
    made[i] = not_linear;
    if ((n.kind != op::less && n.kind != op::less_equal && n.kind != op::equal) || varies[i]) continue;
    const auto left = static_cast<std::size_t>(n.operands[0]),
               right = static_cast<std::size_t>(n.operands[1]);
    if (f.nodes[left].type != element::i32 || f.nodes[right].type != element::i32) continue;
    if (factors[left] == not_linear || factors[right] == not_linear) continue;
    const int factor = factors[left] - factors[right];
    if (factor >= -1 && factor <= 1) made[i] = factor;
  }
  return made;
}

} // namespace detail

/// Whether the keys that a mask shows are a range, for every query.
constexpr bool is_range(const scalar_function& f) {
  struct shown {
    bool prefix = false,
         range = false; // every key before one that depends on the query and the batch row alone
  };
  const auto factors = detail::comparison_factors(f);
  return f
      .of_result<shown>([&](const scalar_node& n, const auto& of) -> shown {
        if (n.kind == op::logical_and || n.kind == op::logical_or) {
          const bool prefix = of(0).prefix && of(1).prefix;
          return {prefix, n.kind == op::logical_or ? prefix : of(0).range && of(1).range};
        }
        const int factor = factors[f.index_of(n)];
        return {factor == 0 || (factor == 1 && n.kind != op::equal), factor != detail::not_linear};
      })
      .range;
}

/// Keys first <= k < last.
struct key_range {
  std::int64_t first = 0, last = 0;
};

namespace detail {

constexpr key_range joined(op kind, const key_range& a, const key_range& b) {
  if (kind == op::logical_and)
    return {a.first > b.first ? a.first : b.first, a.last < b.last ? a.last : b.last};
  if (a.first >= a.last) return b;
  if (b.first >= b.last) return a;
  return {a.first < b.first ? a.first : b.first, a.last > b.last ? a.last : b.last};
}

/// The keys that a comparison shows: factor * key + difference is compared with 0.
constexpr key_range compared(op kind, int factor, std::int64_t difference, std::int64_t keys) {
  key_range r{0, keys};
  if (factor == 0) {
    const bool shown = kind == op::less         ? difference < 0
                       : kind == op::less_equal ? difference <= 0
                                                : difference == 0;
    if (!shown) r.last = 0;
  } else if (kind == op::equal) {
    const std::int64_t only = -difference * factor;
    r = {only, only + 1};
  } else if (factor == 1) {
    r.last = kind == op::less ? -difference : -difference + 1;
  } else {
    r.first = kind == op::less ? difference + 1 : difference;
  }
  if (r.first < 0) r.first = 0;
  if (r.last > keys) r.last = keys;
  if (r.last < r.first) r.last = r.first;
  return r;
}

} // namespace detail

/// The range of keys outside which a mask shows none, for one query.
class range_around {
public:
  constexpr explicit range_around(const scalar_function& mask)
      : mask_(mask), factors_(detail::comparison_factors(mask)) {}

  /// `values` are those of the mask's nodes at the query with key position 0.
  template <class numbers>
  constexpr key_range operator()(const numbers& values, std::int64_t keys) const {
    return mask_.of_result<key_range>([&](const scalar_node& n, const auto& of) -> key_range {
      if (n.kind == op::logical_and || n.kind == op::logical_or) return detail::joined(n.kind, of(0), of(1));
      const int factor = factors_[mask_.index_of(n)];
      if (factor == detail::not_linear) return {0, keys};
      const auto value = [&](int k) {
        return static_cast<std::int64_t>(values[static_cast<std::size_t>(n.operands[k])]);
      };
      return detail::compared(n.kind, factor, value(0) - value(1), keys);
    });
  }

private:
  const scalar_function& mask_;
  std::array<int, scalar_function::max_nodes> factors_;
};

} // namespace fovea::core
