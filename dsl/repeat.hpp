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
  int period = 0; // so many kinds of layers take turns; 0: all are of one kind
};

namespace detail {

/// A body of a repeat that is told nothing of the period.
template <class F, class carried>
concept layer_body = std::is_invocable_r_v<carried, F&, carried>;
/// One that is given i % period of layer i.
template <class F, class carried>
concept periodic_body = std::is_invocable_r_v<carried, F&, carried, int>;

/// Layer i is f(x, i % period). A loop runs whole periods, whose layers are one body; what is left of the
/// layers comes after it, each by itself.
template <std::size_t carried, class F>
constexpr std::array<expr, carried> repeat_layers(const name_text& name, int n, std::array<expr, carried> x,
                                                  F& f, repeat_options options, source_place at) {
  std::array<expr, carried> nothing{};
  graph* owner = x[0].owner;
  nothing.fill({owner});
  if (owner == nullptr) return nothing;
  graph& g = *owner;
  const graph::named who{"repeat", name};
  if (n < 1) {
    g.fail(191, at, who, ": expected at least one layer, found ", n);
    return nothing;
  }
  if (options.first < 0 || options.first > graph::largest_dim - n) {
    g.fail(192, at, who, ": expected .first to be 0 to ", graph::largest_dim - n, ", found ", options.first);
    return nothing;
  }
  const int periods = n / options.period;
  if (periods > 0) {
    region_body<carried> body(g, {.count = periods, .recompute = options.recompute}, x, at, who);
    if (!body.opened()) return nothing;
    std::array<expr, carried> next = body.inside();
    for (int phase = 0; phase < options.period; ++phase) {
      const scope names(&g, name, scope_name::any_layer, at, {options.first + phase, options.period});
      next = f(next, phase);
    }
    x = body.close(next, who);
  }
  for (int i = periods * options.period; i < n; ++i) {
    const std::array<expr, carried> before = x;
    {
      const scope names(&g, name, options.first + i, at);
      x = f(before, i - periods * options.period);
    }
    for (std::size_t k = 0; k < carried; ++k)
      if (!g.usable(before[k], at, who) || !g.usable(x[k], at, who) ||
          !keeps_shape(before[k], x[k], static_cast<int>(k), static_cast<int>(carried), at, who))
        return nothing;
  }
  return x;
}

} // namespace detail

/// Depth: x = f(x), n times, each time with parameters of its own, named name.0. ..., name.1. ...; the body
/// is declared, checked and compiled once. Carries an expr or an array of them, which must keep their shapes.
/// Values of outside that the body uses are the same in every layer. Errors: a body that does not take and
/// give what is carried, less than one layer, a shape that changes.
///
/// With {.period = p} the body is f(x, phase), phase being i % p of layer i, and is compiled once for each of
/// the p kinds of layers (and once more for those that are left where p does not divide n).
template <std::size_t carried, class F>
requires detail::layer_body<F, std::array<expr, carried>>
constexpr std::array<expr, carried> repeat(const name_text& name, int n, std::array<expr, carried> x, F f,
                                           repeat_options options = {},
                                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (options.period != 0 && options.period != 1 && x[0].owner != nullptr) {
    x.fill(x[0].owner->fail(193, at, graph::named{"repeat", name}, ": with a .period the body takes ",
                            carried == 1 ? "an expr" : "the array",
                            " and an int, which kind of layer it is"));
    return x;
  }
  options.period = 1;
  const auto of_any_phase = [&f](std::array<expr, carried> y, int) { return f(y); };
  return detail::repeat_layers(name, n, x, of_any_phase, options, at);
}
template <std::size_t carried, class F>
requires detail::periodic_body<F, std::array<expr, carried>>
constexpr std::array<expr, carried> repeat(const name_text& name, int n, std::array<expr, carried> x, F f,
                                           repeat_options options = {},
                                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (options.period < 1 && x[0].owner != nullptr) {
    x.fill(x[0].owner->fail(
        194, at, graph::named{"repeat", name}, ": the body takes the kind of a layer, an int; ",
        "expected a .period of at least 1, ", options.period == 0 ? "found none" : "found one below 0"));
    return x;
  }
  return detail::repeat_layers(name, n, x, f, options, at);
}

template <std::convertible_to<expr> X, class F>
requires detail::layer_body<F, expr>
constexpr expr repeat(const name_text& name, int n, X x, F f, repeat_options options = {},
                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return repeat(
      name, n, std::array<expr, 1>{x}, [&f](std::array<expr, 1> y) { return std::array<expr, 1>{f(y[0])}; },
      options, at)[0];
}
template <std::convertible_to<expr> X, class F>
requires detail::periodic_body<F, expr>
constexpr expr repeat(const name_text& name, int n, X x, F f, repeat_options options = {},
                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return repeat(
      name, n, std::array<expr, 1>{x},
      [&f](std::array<expr, 1> y, int phase) { return std::array<expr, 1>{f(y[0], phase)}; }, options, at)[0];
}

/// A body of another form.
template <std::convertible_to<expr> X, class F>
constexpr expr repeat(const name_text& name, int, X x, F, repeat_options = {},
                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const expr first = x;
  if (first.owner == nullptr) return first;
  return first.owner->fail(195, at, graph::named{"repeat", name},
                           ": the body takes an expr and gives an expr");
}
template <std::size_t carried, class F>
constexpr std::array<expr, carried> repeat(const name_text& name, int, std::array<expr, carried> x, F,
                                           repeat_options = {},
                                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (x[0].owner != nullptr)
    x.fill(x[0].owner->fail(196, at, graph::named{"repeat", name}, ": the body takes an array of ",
                            static_cast<int>(carried), " exprs and gives one"));
  return x;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::repeat, core::repeat_options;
} // namespace fovea
