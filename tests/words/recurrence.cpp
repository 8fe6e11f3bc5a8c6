// The recurrent words against PyTorch's modules.

#include <catch2/catch.hpp>

#include "../run_model.hpp"

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

enum class cell_kind { elman, elman_relu, gru, lstm };

struct recurrent_case {
  cell_kind cell;
  int input, hidden, layers = 1;
  bool both = false, lengths = false, initial = false, bias = true;
};

template <class word>
constexpr recurrent_result declare(const word& w, graph& g, recurrent_case c, bool has_cell) {
  const expr x = g.input<f32>("x", {B, T, c.input});
  recurrent_options o{.layers = c.layers, .bias = c.bias};
  const int count = c.layers * (c.both ? 2 : 1);
  if (c.initial) {
    const expr h = g.input<f32>("h_0", {count, B, c.hidden});
    o.initial = states_of(h, has_cell ? g.input<f32>("c_0", {count, B, c.hidden}) : expr{});
  }
  if (c.lengths) o.lengths = g.input<i32>("lengths", {B});
  return c.both ? bidirectional(w, x, "rnn", c.hidden, o) : w(x, "rnn", c.hidden, o);
}

/// The states of all layers, [layers * directions, B, hidden].
constexpr expr together(const std::array<expr, recurrent_state::most>& states, int count) {
  expr all = unsqueeze(states[0], 0);
  for (int i = 1; i < count; ++i)
    all = concat(axis(0), all, unsqueeze(states[static_cast<std::size_t>(i)], 0));
  return all;
}

template <recurrent_case c>
inline constexpr auto network = model("network", [](graph& g) {
  constexpr bool has_cell = c.cell == cell_kind::lstm;
  const recurrent_result y = [&] {
    if constexpr (c.cell == cell_kind::elman) return declare(elman, g, c, has_cell);
    if constexpr (c.cell == cell_kind::elman_relu) return declare(elman_relu, g, c, has_cell);
    if constexpr (c.cell == cell_kind::gru) return declare(gru, g, c, has_cell);
    if constexpr (c.cell == cell_kind::lstm) return declare(lstm, g, c, has_cell);
  }();
  g.output("y", y);
  g.output("h_n", together(y.state.hidden, y.state.count));
  if (has_cell) g.output("c_n", together(y.state.cell, y.state.count));
});

/// The parameters of a module by itself, as those of a module called "rnn".
model_weights weights_under_rnn(const golden_case& c) {
  std::map<std::string, weight_tensor> made;
  for (auto& [name, tensor] : parameters_of(c)) made["rnn." + name] = tensor;
  return model_weights::from(std::move(made), c.name());
}

template <recurrent_case c>
void check_network(const char* name) {
  const golden_case reference(name);
  check_case(network<c>, reference, weights_under_rnn(reference), inputs_of(reference), "rnn.");
}

} // namespace

TEST_CASE("Elman's network agrees with PyTorch's") {
  check_network<{.cell = cell_kind::elman, .input = 8, .hidden = 16, .initial = true}>("rnn_tanh_1layer");
  check_network<{
      .cell = cell_kind::elman, .input = 12, .hidden = 16, .layers = 3, .lengths = true, .initial = true}>(
      "rnn_tanh_3layer");
  check_network<{.cell = cell_kind::elman_relu, .input = 8, .hidden = 16, .initial = true}>(
      "rnn_relu_1layer");
  check_network<{.cell = cell_kind::elman_relu,
                 .input = 12,
                 .hidden = 16,
                 .layers = 3,
                 .lengths = true,
                 .initial = true}>("rnn_relu_3layer");
}

TEST_CASE("gated recurrent units agree with PyTorch's") {
  check_network<{.cell = cell_kind::gru, .input = 8, .hidden = 16, .initial = true}>("gru_1layer");
  check_network<{
      .cell = cell_kind::gru, .input = 12, .hidden = 16, .layers = 3, .lengths = true, .initial = true}>(
      "gru_3layer");
  check_network<{
      .cell = cell_kind::gru, .input = 8, .hidden = 8, .both = true, .lengths = true, .initial = true}>(
      "gru_bidirectional");
}

TEST_CASE("long short-term memories agree with PyTorch's") {
  check_network<{.cell = cell_kind::lstm, .input = 8, .hidden = 16, .initial = true}>("lstm_1layer");
  check_network<{
      .cell = cell_kind::lstm, .input = 12, .hidden = 16, .layers = 3, .lengths = true, .initial = true}>(
      "lstm_3layer");
  check_network<{.cell = cell_kind::lstm, .input = 8, .hidden = 8, .both = true, .initial = true}>(
      "lstm_bidirectional");
  check_network<{
      .cell = cell_kind::lstm, .input = 6, .hidden = 8, .both = true, .lengths = true, .initial = true}>(
      "lstm_bidirectional_lengths");
  check_network<{.cell = cell_kind::lstm, .input = 4, .hidden = 8, .bias = false}>("lstm_no_bias");
  check_network<{
      .cell = cell_kind::lstm, .input = 10, .hidden = 12, .layers = 2, .both = true, .lengths = true}>(
      "lstm_stacked_bidirectional");
  check_network<{.cell = cell_kind::lstm, .input = 64, .hidden = 96, .initial = true}>("lstm_wide");
}
