#pragma once

#include <concepts>

#include <fovea/dsl/elementwise.hpp>

namespace fovea {

namespace detail {

constexpr scalar leaf(scalar_function& f, op kind) {
  scalar_node node;
  node.kind = kind, node.type = kind == op::score ? element::f32 : element::i32;
  return {&f, f.append(node), node.type};
}

// The last node of a function is its result.
constexpr void finish(scalar_function& f, const scalar& result) {
  if (result.function == nullptr || result.id != f.count - 1) {
    const scalar_node last = result.function == nullptr ? scalar_node{.kind = op::constant, .type = result.type, .number = result.number}
                                                        : f.nodes[result.id];
    f.append(last);
  }
}

constexpr double square_root(double x) {
  double root = x < 1 ? 1 : x;
  for (int i = 0; i < 64; ++i) root = (root + x / root) / 2;
  return root;
}

} // namespace detail

/// An element of a captured table, by positions, heads, batch rows or arithmetic of them: at(table, head, q - k + 64).
/// The positions must lie inside the table.
template <class... positions>
constexpr scalar at(expr table, const scalar& first, const positions&... more) {
  static_assert(sizeof...(more) < 4, "a table has at most 4 axes");
  scalar_function* f = first.function;
  ((f = f != nullptr ? f : scalar(more).function), ...);
  scalar_node node;
  node.kind = op::table_at;
  node.type = table.valid() ? table.owner->nodes[table.id].type : element::f32;
  int n = 0;
  for (const scalar& x : {first, scalar(more)...}) node.operands[n++] = detail::recorded(f, x);
  node.operand_count = static_cast<std::int8_t>(n);
  node.capture = static_cast<std::int8_t>(f->capture(table.owner, table.id));
  return {f, f->append(node), node.type};
}

/// Which keys a query sees: a rule below, rules joined with & and |, or a lambda (query, key[, head[, batch]]) -> boolean
/// over positions. Empty: every key.
struct mask {
  scalar_function function = {};
  bool looks_ahead = true; // whether a query may see later keys; a lambda counts as if it may

  constexpr mask() = default;
  template <class F>
    requires(std::invocable<F, scalar, scalar> || std::invocable<F, scalar, scalar, scalar> ||
             std::invocable<F, scalar, scalar, scalar, scalar>)
  constexpr mask(F f) {
    const scalar q = detail::leaf(function, op::query_position), k = detail::leaf(function, op::key_position);
    const auto result = [&]() -> scalar {
      if constexpr (std::invocable<F, scalar, scalar>) return f(q, k);
      else if constexpr (std::invocable<F, scalar, scalar, scalar>) return f(q, k, detail::leaf(function, op::head_index));
      else return f(q, k, detail::leaf(function, op::head_index), detail::leaf(function, op::batch_index));
    }();
    detail::finish(function, result);
  }

  friend constexpr mask operator&(const mask& a, const mask& b) {
    if (a.function.empty()) return b;
    if (b.function.empty()) return a;
    return join(op::logical_and, a, b, a.looks_ahead && b.looks_ahead);
  }
  friend constexpr mask operator|(const mask& a, const mask& b) {
    if (a.function.empty()) return a;
    if (b.function.empty()) return b;
    return join(op::logical_or, a, b, a.looks_ahead || b.looks_ahead);
  }

private:
  static constexpr mask join(op kind, const mask& a, const mask& b, bool ahead) {
    mask joined = a;
    joined.looks_ahead = ahead;
    scalar_node node;
    node.kind = kind, node.type = element::boolean, node.operand_count = 2;
    node.operands[0] = static_cast<std::int8_t>(a.function.count - 1);
    node.operands[1] = joined.function.append(b.function);
    joined.function.append(node);
    return joined;
  }
};

namespace detail {

template <class F>
constexpr mask backward(F f) {
  mask made(f);
  made.looks_ahead = false;
  return made;
}

} // namespace detail

/// A query sees its own position and those before it.
inline constexpr mask causal = detail::backward([](scalar q, scalar k) { return k <= q; });

/// The last n positions, the current one counted: q - n < k <= q.
constexpr mask window(int n) {
  return detail::backward([n](scalar q, scalar k) { return k <= q && q - n < k; });
}
/// From `left` positions back to `right` ahead: q - left <= k <= q + right.
constexpr mask window(int left, int right) {
  mask made([=](scalar q, scalar k) { return q - left <= k && k <= q + right; });
  made.looks_ahead = right > 0;
  return made;
}

/// The first `lengths` keys of each batch row; lengths is a number or an int32 value of [B].
constexpr mask padding(int lengths) {
  return mask([lengths](scalar, scalar k) { return k < lengths; });
}
constexpr mask padding(expr lengths) {
  return mask([lengths](scalar, scalar k, scalar, scalar batch) { return k < at(lengths, batch); });
}

/// The first n keys, visible to every query (a prefix language model: causal | prefix(n)); n is a number or int32 [B].
constexpr mask prefix(int n) { return padding(n); }
constexpr mask prefix(expr n) { return padding(n); }

} // namespace fovea
