#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <fovea/dsl/elementwise.hpp>

namespace fovea::core {

namespace detail {

/// A recorded function of scalars, done again on values: argument i of the function is values[i].
constexpr expr replay(graph& g, const scalar_function& f, const expr* values, source_place at) {
  if (f.overflow)
    return g.fail(199, at, "map: the lambda records at most ", scalar_function::max_nodes, " operations");
  if (f.fault != nullptr) return g.fail(200, at, "map: the lambda ", f.fault);
  expr done[scalar_function::max_nodes] = {};
  const reported_at user(values[0], at.as("map"));
  for (int i = 0; i < f.count; ++i) {
    const scalar_node& step = f.nodes[i];
    const expr a = done[step.operands[0]], b = done[step.operands[1]], c = done[step.operands[2]];
    if (step.kind == op::input)
      done[i] = values[step.capture];
    else if (step.kind == op::constant)
      done[i] =
          g.add({.kind = op::constant, .type = step.type, .settings = {.number = step.number}, .at = at});
    else if (step.kind == op::table_at)
      return g.fail(201, at,
                    "map: the lambda reads a table by at, which only score and mask lambdas can; use gather");
    else if (step.operand_count == 1)
      done[i] = apply(step.kind, at, a);
    else if (step.operand_count == 2)
      done[i] = apply(step.kind, located(a, at), located(b, at));
    else
      done[i] = where(a, located(b, at), located(c, at), at);
  }
  return done[f.result()];
}

template <class>
using as_scalar = const scalar&;

template <class F, class... exprs>
constexpr expr map(source_place at, F f, expr x, exprs... more) {
  constexpr std::size_t taken = 1 + sizeof...(more);
  if constexpr (std::is_invocable_r_v<expr, F, expr, exprs...>) {
    return f(x, more...);
  } else if constexpr (!std::is_invocable_r_v<scalar, F, const scalar&, as_scalar<exprs>...>) {
    if (x.owner == nullptr) return x;
    return x.owner->fail(202, at, "map: the lambda takes ", static_cast<int>(taken),
                         taken == 1 ? " scalar" : " scalars", ", one for each value, and gives a scalar");
  } else {
    for (expr each : {x, more...})
      if (x.owner == nullptr || !x.owner->usable(each, at, "map")) return {x.owner};
    graph& g = *x.owner;
    scalar_function recorded_from;
    std::int8_t count = 0;
    const auto argument = [&](expr each) {
      scalar_node node;
      node.kind = op::input, node.type = g.nodes[each.id].type, node.capture = count++;
      return scalar(&recorded_from, recorded_from.append(node), node.type);
    };
    const scalar arguments[] = {argument(x), argument(more)...};
    const scalar result = [&]() -> scalar {
      if constexpr (taken == 1)
        return f(arguments[0]);
      else if constexpr (taken == 2)
        return f(arguments[0], arguments[1]);
      else
        return f(arguments[0], arguments[1], arguments[2]);
    }();
    finish(recorded_from, result);
    const expr values[] = {x, more...};
    return replay(g, recorded_from, values, at);
  }
}

} // namespace detail

/// f applied element by element to values that broadcast; f takes and returns scalars, uses elementwise
/// words, and becomes part of the graph.
template <class F>
constexpr expr map(expr x, F f, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::map(at, f, x);
}
template <class F>
constexpr expr map(expr x, expr y, F f, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::map(at, f, x, y);
}
template <class F>
constexpr expr map(expr x, expr y, expr z, F f, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::map(at, f, x, y, z);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::map;
} // namespace fovea
