// Gradients through depth and time, against difference quotients.

#include "gradient_case.hpp"

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

constexpr auto deep = model("deep", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  const expr shared = parameter(x, "shared", {6});
  expr y = repeat("h", 3, x, [&](expr h) {
    return h + shared * gelu(linear(layer_norm(h, "norm"), "a", 6)) +
           attention(h, h, h, {.heads = 2, .mask = causal});
  });
  y = repeat("two", 2, y, [&](expr z) {
    return repeat("inner", 3, z, [&](expr u) { return tanh(linear(u, "b", 6) + x * shared); }) + sigmoid(z);
  });
  g.output("y", y);
});

constexpr auto pairs = model("pairs", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 4});
  const auto both = repeat("h", 3, std::array{x, x * 2.0}, [](std::array<expr, 2> v) {
    return std::array{v[1], tanh(linear(v[0], "a", 4)) * v[1]};
  });
  g.output("first", both[0]);
});

constexpr auto in_time = model("in_time", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 5}), h = g.input<f32>("h", {B, 4}),
             gain = g.input<f32>("gain", {4});
  const auto made = scan(x, h, [&](expr x_t, expr state) {
    const expr next = tanh(linear(x_t, "in", 4) + linear(state, "state", 4, {.bias = false})) * gain;
    return scan_step{concat(axis(-1), next, x_t), next + layer_norm(state, "norm")};
  });
  g.output("y", made.output);
  g.output("last", made.state);
});

constexpr auto with_lengths = model("with_lengths", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 5}), lengths = g.input<i32>("lengths", {B});
  const expr up = bidirectional(lstm, x, "rnn", 4, {.layers = 2, .lengths = lengths});
  g.output("y", up);
});

constexpr auto cells = model("cells", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 5});
  g.output("elman", elman(x, "elman", 4));
  g.output("gru", gru(x, "gru", 3, {.layers = 2}));
  g.output("back", lstm(x, "back", 3, {.reverse = true}));
});

// The same blocks, kept and computed again.
template <bool again>
inline constexpr auto blocks = model("blocks", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6}), shared = parameter(x, "shared", {6});
  g.output("y", repeat("h", 16, x,
                       [&](expr h) {
                         h = h +
                             attention(linear(h, "q", 6), h, h, {.heads = 2, .mask = causal}) * shared * 0.05;
                         return h + linear(gelu(linear(layer_norm(h, "norm"), "up", 24)), "down", 6) * 0.05;
                       },
                       {.recompute = again}));
});

// Where the gradient reads operands of a step of few operations, its result is made again.
template <std::int64_t layers>
constexpr auto made_of_kept = model("made_of_kept", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  g.output("y", repeat("h", layers, x, [](expr h) {
             return h + linear(gelu(linear(layer_norm(h, "norm"), "up", 32)), "down", 6) * 0.05;
           }));
});
constexpr auto gated = model("gated", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  g.output("y", repeat("h", 3, x, [](expr h) {
             const expr n = rms_norm(h, "norm");
             const expr inner = silu(linear(n, "gate", 7)) * linear(n, "up", 7);
             return h + linear(inner, "down", 6) +
                    sin(relu(linear(h, "beside", 6)) * slice(inner, axis(-1), 0, 6));
           }));
});

// A decoder that attends to what an encoder made, at every step.
constexpr auto decoder = model("decoder", [](graph& g) {
  const expr source = g.input<f32>("source", {B, S, 5}), target = g.input<f32>("target", {B, T, 4});
  const expr memory = gru(source, "encoder", 6).output;
  const expr first = linear(mean(memory, S), "first", 6);
  const auto made = scan(target, std::array{first, first * 0.5}, [&](expr y, std::array<expr, 2> s) {
    const expr query = unsqueeze(s[0], 1);
    const expr context = reshape(attention(query, memory, memory, {.score = additive("score", 3)}), {B, 6});
    const expr next = tanh(linear(concat(axis(-1), y, context, s[1]), "cell", 6));
    return scan_step{next, std::array{next, context}};
  });
  g.output("y", made.output);
});

// Layers that are scans, inside a repeat, with a repeat inside.
constexpr auto nested = model("nested", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4});
  const expr y = repeat("layer", 2, x, [](expr h) {
    const expr start = mean(h, axis(1));
    return h + scan(h, start, [](expr h_t, expr s) {
                 const expr deeper =
                     repeat("inside", 2, s, [&](expr u) { return tanh(linear(u, "turn", 4) + h_t); });
                 return scan_step{deeper, deeper * 0.5 + s};
               }).output;
  });
  g.output("y", y);
});

// The scan gives the state that it begins with, so that nothing but a shape is needed of the layers, whose
// parameters stay.
constexpr auto unneeded = model("unneeded", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4});
  const expr y = repeat("layer", 2, x, [](expr h) { return h * 0.5 + tanh(linear(h, "a", 4)); });
  const expr z = scan(y, zeros(y, {B, 3}), [](expr, expr s) { return scan_step{s, s}; }).output;
  g.output("z", z);
});

} // namespace

TEST_CASE("gradients: repeats, shared values and repeats inside") { check_gradients_of_words(deep); }
TEST_CASE("gradients: a repeat that carries two values") { check_gradients_of_words(pairs); }
TEST_CASE("gradients: a scan with values of outside") { check_gradients_of_words(in_time); }
TEST_CASE("gradients: both directions, layers, lengths") { check_gradients_of_words(with_lengths); }
TEST_CASE("gradients: cells") { check_gradients_of_words(cells); }
TEST_CASE("gradients: a decoder that attends") { check_gradients_of_words(decoder); }
TEST_CASE("gradients: scans in repeats, repeats in scans") { check_gradients_of_words(nested); }

TEST_CASE("gradients: layers that nothing but their shape is needed of") {
  check_gradients_of_words(unneeded);
}

TEST_CASE("gradients: what little is made of kept values is not kept") {
  check_gradients_of_words(gated);
  check_gradients_of_words(made_of_kept<3>);
  constexpr auto bytes = [](const auto& m) { return training_bytes(m, {{B, 8}, {T, 32}}); };
  // What comes into a layer, what gelu reads, and the gradients of the parameters.
  constexpr std::size_t kept = 8 * 32 * (6 + 32), parameters = 2 * 6 + 32 * 6 + 32 + 6 * 32 + 6;
  static_assert(bytes(made_of_kept<16>) - bytes(made_of_kept<8>) == 8 * (kept + parameters) * sizeof(float));
}

TEST_CASE("gradients: what is not kept is computed again") {
  check_gradients_of_words(blocks<true>);
  static_assert(training_bytes(blocks<true>, {{B, 8}, {T, 32}}) * 2 <
                training_bytes(blocks<false>, {{B, 8}, {T, 32}}));
  const model_weights from = random_weights(blocks<false>);
  const named_values inputs = random_inputs(gradients(blocks<false>), {{"B", 3}, {"T", 7}});
  const named_values kept = run_model<f32>(gradients(blocks<false>), from, inputs),
                     again = run_model<f32>(gradients(blocks<true>), from, inputs);
  for (const auto& [name, values] : kept) {
    INFO(name); // other values are fused, so that they round in other places
    const distance d = distance_of(std::span<const double>(again.at(name).values), values, 1e-5, 1e-6);
    CHECK(d.share <= 1);
  }
}
