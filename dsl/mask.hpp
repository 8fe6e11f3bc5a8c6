#pragma once

#include <concepts>
#include <type_traits>

#include <fovea/dsl/elementwise.hpp>

namespace fovea::core {

namespace detail {

constexpr scalar leaf(scalar_function& f, op kind) {
  scalar_node node;
  node.kind = kind, node.type = kind == op::score ? element::f32 : element::i32;
  return {&f, f.append(node), node.type};
}

template <class... positions>
constexpr scalar table_at(expr table, source_place at, const positions&... by) {
  const bool found = !(by.is_number && ...);
  constexpr int count = sizeof...(by);
  if (table.owner == nullptr || !table.owner->usable(table, at, "at")) {
    if (found) expect(function_of(by...), false, "reads an empty expr by at");
    return 0.0;
  }
  graph& g = *table.owner;
  if (table.rank() != count) {
    g.fail(139, at, "at: expected ", table.rank(), table.rank() == 1 ? " position" : " positions",
           " in the table ", table, ", found ", count);
    return 0.0;
  }
  if (!((by.type == element::i32) && ...)) {
    g.fail(140, at, "at: expected integer positions in the table ", table, ", found a ",
           name_of(((by.type == element::boolean) || ...) ? element::boolean : element::f32), " one");
    return 0.0;
  }
  if (!found) {
    g.fail(141, at, "at: expected a position made of the lambda's own arguments, found only numbers");
    return 0.0;
  }
  scalar_function* f = function_of(by...);
  scalar_node node;
  node.kind = op::table_at, node.type = g.nodes[table.id].type, node.operand_count = count;
  int n = 0;
  ((node.operands[n++] = recorded(f, by)), ...);
  node.capture = static_cast<std::int8_t>(f->capture(&g, table.id));
  return {f, f->append(node), node.type};
}

} // namespace detail

/// An element of a captured table, one integer for each of its axes: positions, heads, batch rows or
/// arithmetic of them, as in at(table, head, q - k + 64). A position outside the
/// table reads its nearest row, so that a read may stand under a `where` that guards it.
constexpr scalar at(expr table, scalar i, source_place where = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::table_at(table, where, i);
}
constexpr scalar at(expr table, scalar i, scalar j,
                    source_place where = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::table_at(table, where, i, j);
}
constexpr scalar at(expr table, scalar i, scalar j, scalar k,
                    source_place where = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::table_at(table, where, i, j, k);
}
constexpr scalar at(expr table, scalar i, scalar j, scalar k, scalar l,
                    source_place where = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::table_at(table, where, i, j, k, l);
}

namespace detail {

/// Whether a lambda takes so many scalars and gives one.
template <class F, class... scalars>
concept gives_scalar = std::is_invocable_r_v<scalar, F, scalars...>;
template <class F>
concept mask_lambda = gives_scalar<F, scalar, scalar> || gives_scalar<F, scalar, scalar, scalar> ||
    gives_scalar<F, scalar, scalar, scalar, scalar>;

} // namespace detail

/// Which keys a query sees: a rule below, rules joined with & and |, or a lambda (query, key[, head[,
/// batch]]) -> boolean over positions. Empty: every key.
struct attention_mask {
  scalar_function function = {};
  bool looks_ahead = true;        // whether a query may see later keys; a lambda counts as if it may
  const char* expected = nullptr; // where a rule has a number out of its range: what fits, and
  int found = 0;                  // the number
  bool is_none = false;           // made of what is no mask

  constexpr attention_mask() = default;
  template <detail::mask_lambda F>
  constexpr attention_mask(F f) {
    const scalar q = detail::leaf(function, op::query_position), k = detail::leaf(function, op::key_position);
    const auto result = [&]() -> scalar {
      if constexpr (detail::gives_scalar<F, scalar, scalar>)
        return f(q, k);
      else if constexpr (detail::gives_scalar<F, scalar, scalar, scalar>)
        return f(q, k, detail::leaf(function, op::head_index));
      else
        return f(q, k, detail::leaf(function, op::head_index), detail::leaf(function, op::batch_index));
    }();
    detail::finish(function, result);
  }
  template <class other>
  requires(!detail::mask_lambda<other> &&
           !std::same_as<other, attention_mask>) constexpr attention_mask(other)
      : is_none(true) {}

  friend __attribute__((unavailable("masks are joined by &, as in causal & window(8) [F0324]"))) //
  constexpr attention_mask
  operator&&(const attention_mask& a, const attention_mask&) {
    return a;
  }
  friend __attribute__((unavailable("masks are joined by |, as in causal | prefix(8) [F0325]"))) //
  constexpr attention_mask
  operator||(const attention_mask& a, const attention_mask&) {
    return a;
  }
  friend constexpr attention_mask operator&(const attention_mask& a, const attention_mask& b) {
    if (a.is_none || b.function.empty()) return b.is_none ? b : a;
    if (b.is_none || a.function.empty()) return b;
    return join(op::logical_and, a, b, a.looks_ahead && b.looks_ahead);
  }
  friend constexpr attention_mask operator|(const attention_mask& a, const attention_mask& b) {
    if (a.is_none || (a.function.empty() && !b.is_none)) return a;
    if (b.function.empty()) return b;
    return join(op::logical_or, a, b, a.looks_ahead || b.looks_ahead);
  }

private:
  static constexpr attention_mask join(op kind, const attention_mask& a, const attention_mask& b,
                                       bool ahead) {
    attention_mask joint = a;
    joint.looks_ahead = ahead;
    if (a.expected == nullptr) joint.expected = b.expected, joint.found = b.found;
    scalar_node node;
    node.kind = kind, node.type = element::boolean, node.operand_count = 2;
    node.operands[0] = static_cast<std::int8_t>(a.function.count - 1);
    node.operands[1] = joint.function.append(b.function);
    joint.function.append(node);
    return joint;
  }
};

namespace detail {

template <class F>
constexpr attention_mask backward(F f) {
  attention_mask made(f);
  made.looks_ahead = false;
  return made;
}

inline constexpr int largest_position = 1 << 30;
/// `made` of a number that must be `least` to largest_position.
constexpr attention_mask with_number(attention_mask made, int number, int least, const char* expected) {
  if (number < least || number > largest_position) made.expected = expected, made.found = number;
  return made;
}

} // namespace detail

/// A query sees its own position and those before it.
inline constexpr attention_mask causal = detail::backward([](scalar q, scalar k) { return k <= q; });

/// The last n positions, the current one counted: q - n < k <= q. n is at least 1.
constexpr attention_mask window(int n) {
  return detail::with_number(detail::backward([n](scalar q, scalar k) { return k <= q && q - n < k; }), n, 1,
                             "window: expected 1 to 1073741824 positions, the query's own among them");
}
/// From `left` positions back to `right` ahead, both at least 0: q - left <= k <= q + right.
constexpr attention_mask window(int left, int right) {
  attention_mask made([=](scalar q, scalar k) { return q - left <= k && k <= q + right; });
  made.looks_ahead = right > 0;
  constexpr const char* expected =
      "window: expected 0 to 1073741824 positions on either side of the query's own";
  return detail::with_number(detail::with_number(made, right, 0, expected), left, 0, expected);
}

namespace detail {

constexpr attention_mask first_keys(const char* word, expr lengths, source_place where) {
  if (lengths.owner == nullptr || !lengths.owner->usable(lengths, where, word)) return {};
  graph& g = *lengths.owner;
  if (g.nodes[lengths.id].type != element::i32 || lengths.rank() != 1) {
    g.fail(142, where, word, ": expected a number or int32 [batch], found ",
           name_of(g.nodes[lengths.id].type), " ", lengths);
    return {};
  }
  return attention_mask(
      [lengths, where](scalar, scalar k, scalar, scalar batch) { return k < at(lengths, batch, where); });
}

} // namespace detail

/// The first `lengths` keys of each batch row; lengths is a number or an int32 value of [B].
constexpr attention_mask padding(int lengths) {
  return detail::with_number(attention_mask([lengths](scalar, scalar k) { return k < lengths; }), lengths, 1,
                             "padding: expected 1 to 1073741824 keys");
}
constexpr attention_mask padding(expr lengths, source_place where = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::first_keys("padding", lengths, where);
}

/// The first n keys, visible to every query (a prefix language model: causal | prefix(n)); n is a number or
/// int32 [B].
constexpr attention_mask prefix(int n) {
  return detail::with_number(attention_mask([n](scalar, scalar k) { return k < n; }), n, 0,
                             "prefix: expected 0 to 1073741824 keys");
}
constexpr attention_mask prefix(expr n, source_place where = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::first_keys("prefix", n, where);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::at, core::attention_mask, core::causal, core::padding, core::prefix, core::window;
} // namespace fovea
