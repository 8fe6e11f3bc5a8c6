#pragma once

#include <array>
#include <concepts>
#include <type_traits>

#include <fovea/dsl/region.hpp>

namespace fovea::core {

struct repeat_options {
  int first = 0; // the number of the first layer, in the names of its parameters
  /// In training: of each layer only what it carries is kept, and the rest computed once more on the way back
  /// (Chen et al. 2016), for a third more work in a fraction of the memory. A body with a repeat or scan
  /// inside keeps its values all the same.
  bool recompute = false;
};

/// Depth: x = f(x), n times, each time with parameters of its own, named name.0. ..., name.1. ...; the body
/// is declared, checked and compiled once. Carries an expr or an array of them, which must keep their shapes.
/// Values of outside that the body uses are the same in every layer. Errors: a body that does not take and
/// give what is carried, less than one layer, a shape that changes.
template <std::size_t carried, class F>
requires std::is_invocable_r_v<std::array<expr, carried>, F&,
                               std::array<expr, carried>> constexpr std::array<expr, carried>
repeat(const char* name, int n, std::array<expr, carried> x, F f, repeat_options options = {},
       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  std::array<expr, carried> nothing{};
  graph* owner = x[0].owner;
  nothing.fill({owner});
  if (owner == nullptr) return nothing;
  graph& g = *owner;
  const graph::named who{"repeat", name};
  if (n < 1) {
    g.fail(at, who, ": expected at least one layer, found ", n);
    return nothing;
  }
  if (options.first < 0 || options.first > graph::largest_dim - n) {
    g.fail(at, who, ": expected .first to be 0 to ", graph::largest_dim - n, ", found ", options.first);
    return nothing;
  }
  detail::region_body<carried> body(
      g, {.count = n, .first_index = options.first, .recompute = options.recompute}, x, at, who);
  if (!body.opened()) return nothing;
  std::array<expr, carried> next{};
  {
    const scope names(&g, name, scope_name::any_layer, at);
    next = f(body.inside());
  }
  return body.close(next, who);
}

template <std::convertible_to<expr> X, class F>
requires std::is_invocable_r_v<expr, F&, expr>
constexpr expr repeat(const char* name, int n, X x, F f, repeat_options options = {},
                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return repeat(
      name, n, std::array<expr, 1>{x}, [&f](std::array<expr, 1> y) { return std::array<expr, 1>{f(y[0])}; },
      options, at)[0];
}

/// A body of another form.
template <std::convertible_to<expr> X, class F>
constexpr expr repeat(const char* name, int, X x, F, repeat_options = {},
                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const expr first = x;
  if (first.owner == nullptr) return first;
  return first.owner->fail(at, graph::named{"repeat", name}, ": the body takes an expr and gives an expr");
}
template <std::size_t carried, class F>
constexpr std::array<expr, carried> repeat(const char* name, int, std::array<expr, carried> x, F,
                                           repeat_options = {},
                                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x[0].owner != nullptr)
    x.fill(x[0].owner->fail(at, graph::named{"repeat", name}, ": the body takes an array of ",
                            static_cast<int>(carried), " exprs and gives one"));
  return x;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::repeat, core::repeat_options;
} // namespace fovea
