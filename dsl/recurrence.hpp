#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <fovea/dsl/scan.hpp>

namespace fovea::core {

/// The states of the layers of a recurrence, each [B, hidden]: layer by layer, of a bidirectional one forward
/// before backward, as PyTorch numbers them. `cell` is an LSTM's second state.
struct recurrent_state {
  static constexpr int most = 32;

  int count = 0;
  std::array<expr, most> hidden{}, cell{};
};

struct recurrent_options {
  int layers = 1;
  bool reverse = false;         // from the last step to the first
  recurrent_state initial = {}; // none: zeros
  expr lengths = {};            // int32 [B]: past a sequence's end its state is frozen and its output zero
  bool bias = true;
  double dropout = 0; // of what goes from layer to layer, while training
};

/// The outputs of the last layer, [B, T, hidden] ([B, T, 2 hidden] where bidirectional), the states of all
/// layers after the last step, and the outputs of each layer. Where it is used as an expr, it is its output.
struct recurrent_result {
  expr output;
  recurrent_state state;
  std::array<expr, recurrent_state::most / 2> layers = {};

  constexpr operator expr() const { return output; }
};

namespace detail {

/// "weight_ih_l0", "bias_hh_l3_reverse", ...: PyTorch's names of a recurrent layer's parameters.
template <std::size_t layer, bool reversed>
struct recurrent_names {
  static constexpr std::size_t longest = 24;
  struct text {
    char of[longest] = {};
  };
  static constexpr text named(const char* kind) {
    text made{};
    std::size_t n = 0;
    const auto add = [&](const char* part) {
      for (; *part != '\0'; ++part) made.of[n++] = *part;
    };
    add(kind);
    add("_l");
    if (layer >= 10) made.of[n++] = static_cast<char>('0' + layer / 10);
    made.of[n++] = static_cast<char>('0' + layer % 10);
    if (reversed) add("_reverse");
    return made;
  }
  static constexpr text weight_ih = named("weight_ih"), weight_hh = named("weight_hh"),
                        bias_ih = named("bias_ih"), bias_hh = named("bias_hh");
  static constexpr std::array<const char*, 4> all{weight_ih.of, weight_hh.of, bias_ih.of, bias_hh.of};
};

template <std::size_t... i>
constexpr auto recurrent_name_table(std::index_sequence<i...>) {
  return std::array{recurrent_names<i / 2, i % 2 == 1>::all...};
}
/// By 2 * layer + (whether reversed).
inline constexpr auto names_of_recurrence =
    recurrent_name_table(std::make_index_sequence<recurrent_state::most>{});

/// One direction of one layer over the whole sequence: [B, T, in] -> [B, T, hidden]. The input's projection
/// is one product over all steps; a step has one product of all gates.
template <class cell>
constexpr scanned<expr, std::array<expr, cell::states>>
recurrent_layer(const cell& next, expr x, int hidden, const std::array<const char*, 4>& names,
                std::array<expr, cell::states> initial, bool reversed, const recurrent_options& o,
                source_place at) {
  graph& g = *x.owner;
  const dim rows = dim(hidden) * cell::gates;
  const auto made = [&](int which, std::initializer_list<dim> dims) {
    return parameter(x, names[static_cast<std::size_t>(which)], dims, {}, at);
  };
  const expr weight_ih = made(0, {rows, x.size(-1)}), weight_hh = made(1, {rows, hidden});
  const expr bias_ih = o.bias ? made(2, {rows}) : expr{}, bias_hh = o.bias ? made(3, {rows}) : expr{};
  const expr projected = linear(x, weight_ih, bias_ih, at);
  if (!projected.valid()) return {{&g}, initial};
  for (expr& state : initial)
    if (state.owner == nullptr) {
      shape s = g.shape_of(x);
      s.rank = static_cast<std::uint8_t>(s.rank - 2); // without time and features
      s.push(g.intern(hidden));
      state = g.add({.kind = op::broadcast, .shape = s, .at = at}, constant(x, 0, at));
    }
  return scan(
      projected, initial,
      [&](expr from_input, const std::array<expr, cell::states>& state) {
        const std::array<expr, cell::states> after =
            next(from_input, linear(state[0], weight_hh, bias_hh, at), state, hidden, at);
        return scan_step{after[0], after};
      },
      {.over = axis(x.rank() - 2, at), .reverse = reversed, .lengths = o.lengths}, at);
}

/// Whether what a recurrence is told is in range.
template <class cell>
constexpr bool recurrence_fits(expr x, int hidden, const recurrent_options& o, bool both, source_place at,
                               const graph::named& who) {
  if (!is_float(x, at, who)) return false;
  graph& g = *x.owner;
  constexpr int most_hidden = static_cast<int>(graph::largest_dim) / cell::gates;
  const int directions = both ? 2 : 1;
  if (x.rank() < 2 || x.rank() > 3)
    g.fail(173, at, who, ": expected [batch, time, features] or [time, features], found ", x);
  else if (width_of(x, at, who) == 0)
    return false;
  else if (hidden < 1 || hidden > most_hidden)
    g.fail(174, at, who, ": expected 1 to ", most_hidden, " hidden units, found ", hidden);
  else if (o.layers < 1 || o.layers > recurrent_state::most / 2)
    g.fail(175, at, who, ": expected 1 to ", recurrent_state::most / 2, " layers, found ", o.layers);
  else if (!(o.dropout >= 0 && o.dropout < 1))
    g.fail(176, at, who, ": expected a dropout of at least 0 and below 1, found ", o.dropout);
  else if (both && o.reverse)
    g.fail(177, at, who, ": a bidirectional recurrence runs in both directions; .reverse is for one");
  else if (o.initial.count != 0 && o.initial.count != o.layers * directions)
    g.fail(178, at, who, ": expected initial states for ", o.layers * directions,
           " layers and directions, found ", o.initial.count);
  else if (o.lengths.owner != nullptr && x.rank() == 3 && g.usable(o.lengths, at, who)) {
    const node& n = g.nodes[o.lengths.id];
    if (n.type != element::i32 || n.shape.rank != 1 || n.shape[0] != g.shape_of(x)[0])
      g.fail(399, at, who, ": expected .lengths as int32 [", x.size(0), "], found ", name_of(n.type), " ",
             o.lengths);
  }
  return g.error.empty();
}

/// What one direction of a layer begins with, its state i of those given; empty exprs where none is.
template <class cell>
constexpr std::array<expr, cell::states> initial_states(expr x, int hidden, const recurrent_state& given,
                                                        std::size_t i, source_place at,
                                                        const graph::named& who) {
  graph& g = *x.owner;
  std::array<expr, cell::states> initial{given.hidden[i]};
  if constexpr (cell::states > 1)
    initial[1] = given.cell[i];
  else if (given.cell[i].owner != nullptr)
    g.fail(179, at, who, ": takes one state for each layer, found a .cell ", given.cell[i]);
  for (expr state : initial) {
    if (state.owner == nullptr) continue;
    shape expected = g.shape_of(x);
    expected.rank = static_cast<std::uint8_t>(expected.rank - 1);
    expected[-1] = g.intern(hidden);
    if (x.rank() == 3) expected[0] = g.shape_of(x)[0];
    if (!g.usable(state, at, who)) break;
    if (!(g.shape_of(state) == expected))
      g.fail(180, at, who, ": expected an initial state ", expected, ", found ", state);
  }
  return initial;
}

/// All layers, in one direction or in both.
template <class cell>
constexpr recurrent_result recur(const cell& next, const char* word, expr x, const name_text& name,
                                 int hidden, const recurrent_options& o, bool both, source_place at) {
  const graph::named who{word, name};
  recurrent_result result{{x.owner}, {}, {}};
  if (!recurrence_fits<cell>(x, hidden, o, both, at, who)) return result;
  graph& g = *x.owner;
  const int directions = both ? 2 : 1;
  const reported_at call(x, at.as(both ? "bidirectional" : word));
  result.state.count = o.layers * directions;
  for (int layer = 0; layer < o.layers; ++layer) {
    if (layer > 0 && o.dropout > 0) x = dropout(x, o.dropout, at);
    expr outputs[2] = {};
    for (int direction = 0; direction < directions; ++direction) {
      const auto i = static_cast<std::size_t>(layer * directions + direction);
      const auto initial = initial_states<cell>(x, hidden, o.initial, i, at, who);
      if (!g.error.empty()) return result;
      const bool reversed = both ? direction == 1 : o.reverse;
      const scope inside(&g, name, scope_name::no_index, at);
      const auto done = recurrent_layer(
          next, x, hidden, names_of_recurrence[static_cast<std::size_t>(2 * layer + (both ? direction : 0))],
          initial, reversed, o, at);
      if (!g.error.empty()) return result;
      outputs[direction] = done.output;
      result.state.hidden[i] = done.state[0];
      if constexpr (cell::states > 1) result.state.cell[i] = done.state[1];
    }
    x = both ? concat(axis(-1, at), outputs[0], outputs[1]) : outputs[0];
    result.layers[static_cast<std::size_t>(layer)] = x;
  }
  result.output = x;
  return result;
}

} // namespace detail

/// h' = tanh(W x + b + U h + c) (Elman 1990), or max(0, ...).
struct elman_cell {
  static constexpr int gates = 1;
  static constexpr std::size_t states = 1;
  bool rectified = false;

  constexpr std::array<expr, states> operator()(expr from_input, expr from_state,
                                                const std::array<expr, states>&, int, source_place at) const {
    const expr sum = detail::apply(op::add, {from_input, at}, {from_state, at});
    return {rectified ? relu(sum, at) : tanh(sum, at)};
  }
};

/// r, z = sigmoid(...), n = tanh(W x + b + r (U h + c)), h' = (1 - z) n + z h (Cho et al. 2014, with the
/// reset gate after the product, as in PyTorch and cuDNN). Gates in the order r, z, n.
struct gru_cell {
  static constexpr int gates = 3;
  static constexpr std::size_t states = 1;

  constexpr std::array<expr, states> operator()(expr from_input, expr from_state,
                                                const std::array<expr, states>& h, int hidden,
                                                source_place at) const {
    const auto gate = [&](expr x, int i) { return slice(x, axis(-1, at), i * hidden, (i + 1) * hidden, at); };
    const expr r = sigmoid(gate(from_input, 0) + gate(from_state, 0), at);
    const expr z = sigmoid(gate(from_input, 1) + gate(from_state, 1), at);
    const expr n = tanh(gate(from_input, 2) + r * gate(from_state, 2), at);
    return {(1 - z) * n + z * h[0]};
  }
};

/// i, f, o = sigmoid(...), g = tanh(...), c' = f c + i g, h' = o tanh(c') (Hochreiter and Schmidhuber 1997,
/// with the forget gate of Gers et al. 2000). Gates in the order i, f, g, o.
struct lstm_cell {
  static constexpr int gates = 4;
  static constexpr std::size_t states = 2; // h and c

  constexpr std::array<expr, states> operator()(expr from_input, expr from_state,
                                                const std::array<expr, states>& state, int hidden,
                                                source_place at) const {
    const expr sum = from_state + from_input;
    const auto gate = [&](int i) { return slice(sum, axis(-1, at), i * hidden, (i + 1) * hidden, at); };
    const expr c = sigmoid(gate(1), at) * state[1] + sigmoid(gate(0), at) * tanh(gate(2), at);
    return {sigmoid(gate(3), at) * tanh(c, at), c};
  }
};

/// A recurrent word: lstm(x, "rnn", 128, {.layers = 2}), x [B, T, features] or [T, features]. Makes
/// rnn.weight_ih_l0 [gates * hidden, in], rnn.weight_hh_l0 [gates * hidden, hidden], rnn.bias_ih_l0 and
/// rnn.bias_hh_l0 [gates * hidden], and so on for each layer and direction, as PyTorch does. A cell is any
/// type with as many `gates` and `states` whose call gives the next states from the input's and the state's
/// projections; the first state is the output. Errors: states that do not fit, as many layers as there are
/// none.
template <class cell>
struct recurrence {
  const char* word;
  cell next = {};

  constexpr recurrent_result operator()(expr x, const name_text& name, int hidden,
                                        const recurrent_options& options = {},
                                        source_place at = {__builtin_FILE(), __builtin_LINE()}) const {
    return detail::recur(next, word, x, name, hidden, options, false, at);
  }

  /// One step of the cell, for the body of a scan: x [..., features], the states [..., hidden] before it ->
  /// the states after it, the first of which is the output. Makes name.weight_ih, name.weight_hh,
  /// name.bias_ih and name.bias_hh, as PyTorch's cells do.
  constexpr std::array<expr, cell::states>
  step(expr x, const std::array<expr, cell::states>& state, const name_text& name, int hidden,
       source_place at = {__builtin_FILE(), __builtin_LINE()}) const {
    const graph::named who{word, name};
    std::array<expr, cell::states> nothing{};
    nothing.fill({x.owner});
    if (!detail::is_float(x, at, who) || detail::width_of(x, at, who) == 0) return nothing;
    graph& g = *x.owner;
    for (expr s : state)
      if (!g.usable(s, at, who) || !detail::is_float(s, at, who)) return nothing;
    for (expr s : state)
      if (hidden < 1 || g.shape_of(s).rank == 0 || !(s.size(-1) == dim(hidden))) {
        g.fail(181, at, who, ": expected a state of ", hidden, " features, found ", s);
        return nothing;
      }
    const reported_at call(x, at.as(word));
    const scope inside(&g, name, scope_name::no_index, at);
    const dim rows = dim(hidden) * cell::gates;
    const expr from_input = linear(x, parameter(x, "weight_ih", {rows, x.size(-1)}, {}, at),
                                   parameter(x, "bias_ih", {rows}, {}, at), at);
    const expr from_state = linear(state[0], parameter(x, "weight_hh", {rows, hidden}, {}, at),
                                   parameter(x, "bias_hh", {rows}, {}, at), at);
    return next(from_input, from_state, state, hidden, at);
  }
};

inline constexpr recurrence<elman_cell> elman{"elman"}, elman_relu{"elman_relu", {.rectified = true}};
inline constexpr recurrence<gru_cell> gru{"gru"};
inline constexpr recurrence<lstm_cell> lstm{"lstm"};

/// Both directions side by side (Schuster and Paliwal 1997): bidirectional(lstm, x, "rnn", 128, {.layers =
/// 2}); the second direction's parameters end in _reverse.
template <class cell>
constexpr recurrent_result bidirectional(const recurrence<cell>& of, expr x, const name_text& name,
                                         int hidden, const recurrent_options& options = {},
                                         source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::recur(of.next, of.word, x, name, hidden, options, true, at);
}

/// The states [layers * directions, B, hidden] that PyTorch's recurrent modules take and give, as a list;
/// `cell` is an LSTM's.
constexpr recurrent_state states_of(expr hidden, expr cell = {},
                                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  recurrent_state state;
  if (hidden.owner == nullptr) return state;
  graph& g = *hidden.owner;
  for (expr all : {hidden, cell}) {
    if (all.owner == nullptr) continue;
    if (!detail::is_float(all, at, "states_of")) return state;
    const dim count = all.rank() >= 2 ? all.size(0) : dim(0);
    if (!count.is_number() || count.number() < 1 || count.number() > recurrent_state::most) {
      g.fail(182, at, "states_of: expected [layers * directions, batch, hidden], found ", all);
      return state;
    }
    state.count = static_cast<int>(count.number());
    shape one;
    for (int i = 1; i < all.rank(); ++i) one.push(g.shape_of(all)[i]);
    for (int i = 0; i < state.count; ++i)
      (all.id == hidden.id ? state.hidden : state.cell)[static_cast<std::size_t>(i)] =
          detail::reshape_to(slice(all, axis(0, at), i, i + 1, at), one, at);
  }
  return state;
}

/// The first `count` of the states of a recurrent_state, .hidden or .cell, as one value [count, B, hidden]:
/// what states_of takes apart.
constexpr expr stack_states(const std::array<expr, recurrent_state::most>& states, int count,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  if (states[0].owner != nullptr && (count < 1 || count > recurrent_state::most))
    return states[0].owner->fail(183, at, "stack_states: expected 1 to ", recurrent_state::most,
                                 " states, found ", count);
  expr all = unsqueeze(states[0], 0, at);
  for (int i = 1; i < count; ++i)
    all = concat(axis(0, at), all, unsqueeze(states[static_cast<std::size_t>(i)], 0, at));
  return all;
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::bidirectional, core::elman, core::elman_relu, core::gru, core::lstm, core::recurrence,
    core::recurrent_options, core::recurrent_result, core::recurrent_state, core::states_of;
} // namespace fovea
