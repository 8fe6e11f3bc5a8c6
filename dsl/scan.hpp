#pragma once

#include <array>
#include <concepts>

#include <fovea/dsl/region.hpp>
#include <fovea/dsl/shape_words.hpp>

namespace fovea::core {

/// What a scan gives: its outputs, one for each step along time, and the state after the last step. Where it
/// is used as an expr, it is its output.
template <class outputs, class states>
struct scanned {
  outputs output;
  states state;

  constexpr operator outputs() const { return output; }
};

/// What the body of a scan gives at one step: its output, and the state for the next step.
template <class outputs, class states>
struct scan_step {
  outputs output;
  states next;
};
template <class outputs, class states>
scan_step(outputs, states) -> scan_step<outputs, states>;

struct scan_options {
  axis over = axis(1);  // time, of every sequence
  bool reverse = false; // from the last step to the first; outputs keep their places
  expr lengths = {};    // int32 [B]: past a sequence's end its state is frozen and its output zero
};

namespace detail {

template <class T>
struct expr_count;
template <>
struct expr_count<expr> {
  static constexpr std::size_t value = 1;
};
template <std::size_t n>
struct expr_count<std::array<expr, n>> {
  static constexpr std::size_t value = n;
};

/// An expr, or an array of them.
template <class T>
concept exprs = requires {
  expr_count<T>::value;
};

template <exprs T>
constexpr std::array<expr, expr_count<T>::value> listed(const T& x) {
  if constexpr (std::same_as<T, expr>)
    return {x};
  else
    return x;
}
/// The same as an expr where T is one.
template <exprs T>
constexpr T as(const std::array<expr, expr_count<T>::value>& list) {
  if constexpr (std::same_as<T, expr>)
    return list[0];
  else
    return list;
}

/// condition [B] beside x [B, ...], whose batch axis is the first: where(condition, x, other).
constexpr expr where_row(expr condition, expr x, located other, source_place at) {
  if (!condition.valid() || !x.valid()) return {condition.owner};
  shape s;
  s.push(condition.owner->shape_of(condition)[0]);
  for (int i = 1; i < x.rank(); ++i) s.push(condition.owner->intern(1));
  return where(reshape_to(condition, s, at), located(x, at), other, at);
}

/// The axis of time in each sequence, and that they have as many steps; -1 after an error.
template <std::size_t inputs>
constexpr std::array<int, inputs> time_axes(graph& g, const std::array<expr, inputs>& xs, const axis& over,
                                            source_place at) {
  std::array<int, inputs> axes{};
  axes.fill(-1);
  for (std::size_t i = 0; i < inputs; ++i) {
    if (!g.usable(xs[i], at, "scan")) return axes;
    axes[i] = find_axis(xs[i], over, at, "scan");
    if (axes[i] < 0) return axes;
    if (g.shape_of(xs[i])[axes[i]] != g.shape_of(xs[0])[axes[0]]) {
      g.fail(184, at, "scan: the sequences ", xs[0], " and ", xs[i], " must have as many steps, found ",
             xs[0].size(axes[0]), " and ", xs[i].size(axes[i]));
      axes[i] = -1;
      return axes;
    }
  }
  return axes;
}

/// Whether a scan's lengths are one for each batch row of its states.
template <std::size_t states>
constexpr bool lengths_fit(graph& g, expr lengths, const std::array<expr, states>& initial, source_place at,
                           const graph::named& who) {
  if (!g.usable(lengths, at, who)) return false;
  const node& n = g.nodes[lengths.id];
  bool fits = n.type == element::i32 && n.shape.rank == 1;
  for (expr value : initial) {
    if (!g.usable(value, at, who)) return false;
    fits = fits && value.rank() >= 1 && g.shape_of(value)[0] == n.shape[0];
  }
  if (!fits)
    g.fail(185, at, "scan: expected .lengths as int32 [batch] and a state of [batch, ...], found ",
           name_of(n.type), " ", lengths, " and a state ", initial[0]);
  return fits;
}

/// One step of a sequence, without its axis of time.
constexpr expr one_step(expr x, int axis_of_time, int region, source_place at) {
  graph& g = *x.owner;
  const shape& whole = g.shape_of(x);
  shape s;
  for (int axis = 0; axis < whole.rank; ++axis)
    if (axis != axis_of_time) s.push(whole[axis]);
  return g.add({.kind = op::time_step,
                .type = g.nodes[x.id].type,
                .shape = s,
                .settings = {.time = {axis_of_time, region}},
                .at = at},
               x);
}

/// Past a sequence's end its state stays what it was, and its output is zero.
template <std::size_t states, std::size_t outputs>
constexpr void freeze_past(expr lengths, const std::array<expr, states>& before,
                           std::array<expr, states>& next, std::array<expr, outputs>& output, int region,
                           source_place at) {
  const expr now = lengths.owner->add(
      {.kind = op::time_index, .type = element::i32, .settings = {.time = {0, region}}, .at = at});
  const expr alive = located(now, at) < located(lengths, at);
  for (std::size_t i = 0; i < states; ++i) next[i] = where_row(alive, next[i], located(before[i], at), at);
  for (expr& y : output) {
    const bool is_boolean = y.valid() && y.owner->nodes[y.id].type == element::boolean;
    y = where_row(alive, y, is_boolean ? located(false, at) : located(0, at), at);
  }
}

/// What the steps give, beside each other along a new axis of time; invalid after an error.
constexpr expr stacked(graph& g, expr y, int axis_of_time, std::uint16_t time, int region, source_place at,
                       const graph::named& who) {
  if (!g.usable(y, at, who)) return {&g};
  const node& n = g.nodes[y.id];
  if (n.shape.rank < axis_of_time || n.shape.rank == shape::max_rank)
    return g.fail(186, at, "scan: the body gives ", y, ", which has no place for time as axis ",
                  axis_of_time);
  shape s;
  for (int axis = 0; axis <= n.shape.rank; ++axis)
    s.push(axis == axis_of_time ? time : n.shape[axis < axis_of_time ? axis : axis - 1]);
  return g.add(
      {.kind = op::stack, .type = n.type, .shape = s, .settings = {.time = {axis_of_time, region}}, .at = at},
      y);
}

/// Whether f(x, state) can be called, and gives more than one expr or array.
template <class F, class X, class S>
concept scan_body = std::invocable<F&, X, S> && !exprs<std::invoke_result_t<F&, X, S>>;

/// What a body gives as the next state.
template <class made>
constexpr auto next_of(const made& step) {
  const auto& [output, next] = step;
  return next;
}
template <class F, class X, class S>
using next_state = decltype(next_of(std::declval<std::invoke_result_t<F&, X, S>>()));
template <class made>
constexpr auto output_of(const made& step) {
  const auto& [output, next] = step;
  return output;
}
template <class F, class X, class S>
using body_output = decltype(output_of(std::declval<std::invoke_result_t<F&, X, S>>()));
/// Whether that is a state again, and the output an expr or an array of them.
template <class F, class X, class S>
concept carries_state =
    scan_body<F, X, S> && std::convertible_to<next_state<F, X, S>, S> && exprs<body_output<F, X, S>>;

} // namespace detail

/// Time: {output, state} = f(x at this step, state), step after step along an axis, by default axis 1.
///   xs     [B, T, ...], an expr or an array of them; the body sees one step of each, without the axis
///   state  what is carried from step to step, an expr or an array of them: its values before the first step
///   f(x, state) gives scan_step{output, next}, or any pair of such; outputs are an expr or an array too
/// The outputs get the axis of time back: [B, T, ...]. Values of outside that the body uses are the same at
/// every step. Errors: a body of another form, sequences of unequal time, a state that changes shape, lengths
/// that are not one for each batch row.
template <detail::exprs X, detail::exprs S, class F>
requires detail::carries_state<F, X, S>
constexpr auto scan(X xs, S state, F f, scan_options options = {},
                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const auto inputs = detail::listed(xs);
  const auto initial = detail::listed(state);
  constexpr std::size_t input_count = inputs.size();
  auto step = [&](const auto& x_t, const auto& carried) {
    auto [output, next] = f(detail::as<X>(x_t), detail::as<S>(carried));
    return scan_step{output, static_cast<S>(next)};
  };
  using outputs = decltype(step(inputs, initial).output);
  const graph::named who{"scan"};
  at = at.as(who.word);
  scanned<outputs, S> nothing{};
  graph* owner = inputs[0].owner;
  if (owner == nullptr) return nothing;
  graph& g = *owner;
  {
    auto none = detail::listed(nothing.output);
    none.fill({owner});
    nothing.output = detail::as<outputs>(none);
    auto no_state = initial;
    no_state.fill({owner});
    nothing.state = detail::as<S>(no_state);
  }
  const auto axes = detail::time_axes(g, inputs, options.over, at);
  for (int i : axes)
    if (i < 0) return nothing;
  const std::uint16_t time = g.shape_of(inputs[0])[axes[0]];
  const bool has_lengths = options.lengths.owner != nullptr;
  if (has_lengths && !detail::lengths_fit(g, options.lengths, initial, at, who)) return nothing;

  detail::region_body body(g, {.time = time, .reversed = options.reverse}, initial, at, who);
  if (!body.opened()) return nothing;
  std::array<expr, input_count> x_t{};
  for (std::size_t i = 0; i < input_count; ++i)
    x_t[i] = detail::one_step(inputs[i], axes[i], body.index(), at);
  const auto made = step(x_t, body.inside());
  auto output = detail::listed(made.output);
  auto next = detail::listed(made.next);
  if (has_lengths && g.error.empty())
    detail::freeze_past(options.lengths, body.inside(), next, output, body.index(), at);
  for (expr& y : output) {
    y = detail::stacked(g, y, axes[0], time, body.index(), at, who);
    if (!g.error.empty()) return nothing;
  }
  const auto last = body.close(next, who);
  if (!g.error.empty()) return nothing;
  for (expr& y : output)
    y = g.add({.kind = op::scan_output,
               .type = g.nodes[y.id].type,
               .shape = g.shape_of(y),
               .settings = {.carried = {0, body.index()}},
               .at = at},
              y);
  return scanned<outputs, S>{detail::as<outputs>(output), detail::as<S>(last)};
}

/// A body of another form.
template <detail::exprs X, detail::exprs S, class F>
constexpr scanned<expr, S> scan(X xs, S, F, scan_options = {},
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  graph* owner = detail::listed(xs)[0].owner;
  if (owner != nullptr) {
    if constexpr (detail::scan_body<F, X, S>) {
      using next = detail::next_state<F, X, S>;
      if constexpr (!detail::exprs<next> || !detail::exprs<detail::body_output<F, X, S>>)
        owner->fail(187, at, "scan: the body gives a number as its ",
                    detail::exprs<next> ? "output" : "next state",
                    "; expected an expr, or an array of them, such as constant(x, 0)");
      else
        owner->fail(188, at, "scan: the state is ", static_cast<int>(detail::expr_count<S>::value),
                    " values, the next state that the body gives ",
                    static_cast<int>(detail::expr_count<next>::value),
                    "; several are scan_step{output, std::array{a, b}}");
    } else {
      owner->fail(189, at,
                  "scan: the body takes (x, state) of a step and gives scan_step{output, next state}");
    }
  }
  std::array<expr, detail::expr_count<S>::value> none{};
  none.fill({owner});
  return {{owner}, detail::as<S>(none)};
}

/// A state of another form.
template <detail::exprs X, class S, class F>
requires(!detail::exprs<S>) constexpr scanned<expr, expr> scan(X xs, S, F, scan_options = {},
                                                               source_place at = {__builtin_FILE(),
                                                                                  __builtin_LINE()}) {
  const expr none{detail::listed(xs)[0].owner};
  if (none.owner != nullptr)
    none.owner->fail(190, at,
                     "scan: the state before the first step is an expr or an array of them, such as ",
                     "zeros(x, {B, 64})");
  return {none, none};
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::scan, core::scan_options, core::scan_step;
} // namespace fovea
