#pragma once

#include <array>

#include <fovea/dsl/elementwise.hpp>

namespace fovea {

struct repeat_options {
  int first = 0; // the number of the first layer, in the names of its parameters
};

/// Depth: x = f(x), n times, each time with parameters of its own, named name.0. ..., name.1. ...; the body
/// is declared, checked and compiled once. Carries an expr or an array of them, which must keep their shapes.
/// Values of outside that the body uses are the same in every layer.
template <std::size_t carried, class F>
constexpr std::array<expr, carried> repeat(const char* name, int n, std::array<expr, carried> x, F f,
                                           repeat_options options = {},
                                           place at = {__builtin_FILE(), __builtin_LINE()}) {
  static_assert(carried >= 1 && carried <= 8, "repeat carries one to eight values");
  std::array<expr, carried> nothing{};
  graph* owner = x[0].owner;
  nothing.fill({owner});
  if (owner == nullptr) return nothing;
  graph& g = *owner;
  const graph::named who{"repeat", name};
  for (expr value : x)
    if (!g.usable(value, at, who)) return nothing;
  if (n < 1) {
    g.fail(at, who, ": expected at least one layer, found ", n);
    return nothing;
  }
  if (options.first < 0) {
    g.fail(at, who, ": expected .first to be at least 0, found ", options.first);
    return nothing;
  }
  if (g.region_count == graph::max_regions) {
    g.fail(at, who, ": a model has at most ", graph::max_regions - 1, " repeats");
    return nothing;
  }
  const int region = g.region_count++, outer = g.current_region;
  std::array<expr, carried> inside{};
  std::array<expr, carried> result{};
  {
    const scope names(&g, name, scope_name::any_layer, at);
    g.regions[region] = {.parent = static_cast<std::uint8_t>(outer),
                         .first = g.node_count,
                         .count = n,
                         .first_index = options.first,
                         .carried = static_cast<std::int32_t>(carried),
                         .scope = static_cast<std::uint16_t>(g.current_scope)};
    g.current_region = region;
    for (std::size_t i = 0; i < carried; ++i) {
      const node& from = g.nodes[x[i].id];
      inside[i] = g.add({.kind = op::carry,
                         .type = from.type,
                         .shape = from.shape,
                         .attributes = {static_cast<std::int32_t>(i), region},
                         .at = at},
                        x[i]);
    }
    if (!g.error.empty()) return nothing;
    result = f(inside);
    for (expr value : result)
      if (!g.usable(value, at, "repeat")) {
        g.current_region = outer;
        return nothing;
      }
  }
  for (std::size_t i = 0; i < carried; ++i) {
    const node &before = g.nodes[inside[i].id], &after = g.nodes[result[i].id];
    if (!(before.shape == after.shape) || before.type != after.type) {
      g.fail(at, who, ": the body turns ", name_of(before.type), " ", inside[i], " into ",
             name_of(after.type), " ", result[i], "; what a repeat carries keeps its shape");
      g.current_region = outer;
      return nothing;
    }
    g.regions[region].results[i] = result[i].id;
  }
  g.regions[region].last = g.node_count;
  g.current_region = outer;
  for (std::size_t i = 0; i < carried; ++i)
    result[i] = g.add({.kind = op::repeat_output,
                       .type = g.nodes[x[i].id].type,
                       .shape = g.shape_of(x[i]),
                       .attributes = {static_cast<std::int32_t>(i), region},
                       .at = at},
                      result[i]);
  return result;
}

template <class F>
constexpr expr repeat(const char* name, int n, expr x, F f, repeat_options options = {},
                      place at = {__builtin_FILE(), __builtin_LINE()}) {
  return repeat(
      name, n, std::array<expr, 1>{x}, [&f](std::array<expr, 1> y) { return std::array<expr, 1>{f(y[0])}; },
      options, at)[0];
}

} // namespace fovea
