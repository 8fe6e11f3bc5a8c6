// A model at its last position alone: what works on each position by itself is computed there only.

#include <catch2/catch.hpp>

#include "../training/gradient_case.hpp"
#include "last_case.hpp"

#include <fovea/models/gpt2.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr models::gpt2_config tiny{.layers = 2, .heads = 3, .width = 24, .vocab = 61, .context = 40};

/// How many nodes of a model have positions.
template <class M>
constexpr int moving_nodes(const M&) {
  int count = 0;
  for (const node& n : M::view.nodes)
    for (int axis = 0; axis < n.shape.rank; ++axis)
      count += !M::view.is_number(n.shape[axis]) && M::view.form(n.shape[axis]).mentions(T);
  return count;
}

} // namespace

TEST_CASE("the logits of a prompt are of its last position", "[last]") {
  constexpr const auto& whole = models::gpt2<models::gpt2_small>;
  constexpr auto at_last = last<T>(whole);
  static_assert(at_last.parameters() == whole.parameters());
  static_assert(whole.flops({{B, 1}, {T, 128}}) - at_last.flops({{B, 1}, {T, 128}}) >=
                127LL * 2 * 768 * 50257);
  static_assert(at_last.flops({{B, 1}, {T, 1}}) == whole.flops({{B, 1}, {T, 1}}));
  check_last<T>(models::gpt2<tiny>, {{"B", 2}, {"T", 9}});
}

TEST_CASE("the last position is taken before all that works on each by itself", "[last]") {
  static constexpr auto m = model("by_itself", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 12}), ids = g.input<i32>("ids", {B, T}),
               still = g.input<f32>("still", {B, 5});
    const expr h = gru(x, "rnn", 12);
    expr y = layer_norm(h, "norm") + rms_norm(x, "other") * 2;
    y = reshape(permute(reshape(y, {B, T, 3, 4}), {0, 2, 1, 3}), {B, 3, T, 4});
    y = reshape(permute(softmax(y, axis(1)), {0, 2, 3, 1}), {B, T, 12});
    y = concat(axis(-1), y, gather(parameter(x, "words", {7, 4}), ids),
               broadcast(unsqueeze(still, 1), {B, T, 5}));
    y = relu(linear(y, "up", 16)) * slice(linear(y, "beside", 18), axis(2), 1, 17);
    y = where(y > 0, y, pad(sum(reshape(y, {B, T, 4, 4}), axis(-1)), axis(-1), 5, 7));
    g.output("turned", transpose(y));
    g.output("y", matmul(y, transpose(parameter(x, "out", {9, 16}))));
    g.output("best", argmax(y, axis(2)));
    g.output("counted", batch_norm(max_over(y, axis(2), {.keep = true}), "batch"));
  });
  // Inputs, the product before the recurrence, and the recurrence.
  static_assert(moving_nodes(last<T>(m)) < 12);
  static_assert(moving_nodes(m) > 30);
  check_last<T>(m, {{"B", 2}, {"T", 9}});
  check_last_of_rows<T>(m, {{"B", 3}, {"T", 9}});
}

TEST_CASE("what else needs all positions is computed once", "[last]") {
  static constexpr auto m = model("needed_in_full", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 8});
    const expr h = tanh(linear(x, "first", 8)), after = lstm(h, "rnn", 8);
    const auto counted = scan(h, zeros(x, {B, 8}), [](expr x_t, expr s) {
      return scan_step{s, s * 0.5 + x_t};
    });
    g.output("h", h);
    g.output("state", counted.state);
    g.output("y", linear(after + h, "out", 3));
    g.output("before", counted.output);
    g.output("x", x);
    g.output("still", parameter(x, "still", {4}));
  });
  constexpr auto at_last = last<T>(m);
  static_assert(at_last.flops({{B, 1}, {T, 1}}) == m.flops({{B, 1}, {T, 1}}));
  check_last<T>(m, {{"B", 2}, {"T", 9}});
  check_last_of_rows<T>(m, {{"B", 3}, {"T", 9}});
}

TEST_CASE("a small model takes a position by one function as before", "[last][stream]") {
  static constexpr auto m = model("small", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 3});
    const expr h = gru(x, "gru", 9);
    g.output("y", linear(relu(h), "out", 2) + unsqueeze(last(x, axis(-1)), 2));
    g.output("h", h);
  });
  static_assert(decltype(stream<T>(last<T>(m), random_weights(m), {}))::has_single_position);
  check_last<T>(m, {{"B", 2}, {"T", 9}});
  check_last_of_rows<T>(m, {{"B", 3}, {"T", 9}});
}

TEST_CASE("gradients pass through the last position", "[last][gradients]") {
  static constexpr auto m = model("classifier", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 5});
    g.output("y", linear(gru(x, "rnn", 6), "out", 3));
    g.output("word", sum(last(tanh(x), T), axis(1)) * last(mean(x, axis(2)), T));
  });
  check_gradients_of_words(last<T>(m));
}

TEST_CASE("attention whose weights are thinned is whole in front of the last position", "[last][gradients]") {
  constexpr auto thinned = model("thinned", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 8});
    g.output("y", linear(attention(x, x, x, {.mask = causal, .dropout = 0.1}), "out", 8));
  });
  static_assert(decltype(gradients<false, true>(last<T>(thinned)))::well_formed);
}

TEST_CASE("operations that mix positions see all of them", "[last]") {
  static constexpr auto whole = model("mixed", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6});
    const expr places = slice(parameter(x, "places", {40, 6}), axis(0), 0, T);
    g.output("convolved", linear(conv1d(x, "conv", 5, 3), "out", 4));
    g.output("normed", softmax(x + places, T));
    g.output("group", group_norm(x, "group", 2));
    g.output("weighed", attend(matmul(x, transpose(x)), reverse(x, T)));
    g.output("positions", sinusoidal_positions(x) + normalised_positions(x));
    g.output("numbers", range(x, T));
  });
  const named_values inputs = random_inputs(whole, {{"B", 2}, {"T", 7}});
  const model_weights from = random_weights(whole);
  on_both_backends([&](auto backend) {
    test::detail::check_last_of<std::remove_const_t<decltype(whole)>, T>(
        run_model<decltype(backend)>(last<T>(whole), from, inputs),
        run_model<decltype(backend)>(whole, from, inputs), false);
  });
}
