#include "random_sizes.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

/// Causal attention of heads that share keys; rotary where heads are wide.
template <int heads, int kv_heads, int width>
constexpr auto grouped = model("grouped", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  const auto projected = [&](const char* name, int n) {
    const expr y = linear(x, name, n * width);
    return width % 2 == 0 ? rope(y, {.heads = n}) : y;
  };
  g.output("y", attention(projected("q", heads), projected("k", kv_heads), linear(x, "v", kv_heads * width),
                          {.heads = heads, .kv_heads = kv_heads, .mask = causal}));
});

/// Every kind of mask and score over keys of their own number, values of another width than keys.
constexpr auto crossed = model("crossed", [](graph& g) {
  const expr q = g.input<f32>("q", {B, T, 4 * 5}), k = g.input<f32>("k", {B, S, 2 * 5}),
             v = g.input<f32>("v", {B, S, 2 * 9}), bias = g.input<f32>("bias", {4, T, S}),
             lengths = g.input<i32>("lengths", {B});
  const auto with = [&](attention_options o) {
    o.heads = 4, o.kv_heads = 2;
    return attention(q, k, v, o);
  };
  g.output("all", with({}));
  g.output("causal", with({.mask = causal}));
  g.output("padded", with({.mask = padding(lengths), .bias = bias}));
  g.output("capped", with({.mask = window(3) & padding(lengths), .soft_cap = 2}));
  g.output("alibi", with({.score = alibi(4)}));
  g.output("map", attention_map(q, k, v, {.heads = 4, .kv_heads = 2, .mask = causal}));
});

/// So many keys that they are taken in parts, and so many queries that they are taken in spans.
constexpr auto long_rows = model("long_rows", [](graph& g) {
  const expr q = g.input<f32>("q", {B, T, 8}), k = g.input<f32>("k", {B, S, 4});
  g.output("y", attention(q, k, k, {.heads = 2, .kv_heads = 1, .mask = causal}));
  g.output("alibi", attention(q, k, k, {.heads = 2, .kv_heads = 1, .score = alibi(2)}));
});

constexpr auto windowed = model("windowed", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  const expr k = linear(x, "k", 2 * 7), v = linear(x, "v", 2 * 5);
  g.output("y", attention(linear(x, "q", 6 * 7), k, v, {.heads = 6, .kv_heads = 2, .mask = window(5)}));
});

const size_ranges of_stream{{"B", {1, 3}}, {"T", {1, 40}}};

} // namespace

TEST_CASE("calls of attention with grouped heads", "[random]") {
  check_drawn_calls(grouped<1, 1, 3>, of_stream);
  check_drawn_calls(grouped<6, 2, 16>, of_stream);
  check_drawn_calls(grouped<32, 4, 64>, {{"B", {1, 2}}, {"T", {1, 16}}});
}

TEST_CASE("calls of attention with masks, biases and scores", "[random]") {
  check_drawn_calls(crossed, {{"B", {1, 3}}, {"T", {1, 40}}, {"S", {1, 70}}});
  check_drawn_calls(long_rows, {{"B", {1, 2}}, {"T", {1, 200}}, {"S", {1, 2200}}});
}

TEST_CASE("steps of attention with grouped heads", "[random]") {
  check_drawn_steps<T>(grouped<1, 1, 3>, of_stream);
  check_drawn_steps<T>(grouped<6, 2, 16>, of_stream);
  check_drawn_steps<T>(grouped<8, 1, 16>, of_stream);
  check_drawn_steps<T>(windowed, of_stream);
}

TEST_CASE("rows of attention with grouped heads", "[random]") {
  check_drawn_rows<T>(grouped<6, 2, 16>, of_stream);
  check_drawn_rows<T>(windowed, of_stream);
}

// The kernel for few queries needs more than that for many where many heads share keys.
TEST_CASE("two to four queries of grouped heads fit the memory of a longer call", "[random]") {
  const model_weights call_weights = fovea::core::test::random_weights(grouped<32, 4, 64>),
                      stream_weights = fovea::core::test::random_weights(grouped<8, 1, 16>);
  auto net = compile(grouped<32, 4, 64>, call_weights, {.capacity = {{B, 1}, {T, 16}}});
  auto live = stream<T>(grouped<8, 1, 16>, stream_weights, {.capacity = {{B, 1}, {T, 64}}});
  for (const std::size_t queries : {1u, 2u, 3u, 4u, 5u}) {
    const named_values call = random_inputs(grouped<32, 4, 64>, {{"B", 1}, {"T", queries}}),
                       prompt = random_inputs(grouped<8, 1, 16>, {{"B", 1}, {"T", queries}});
    fovea::core::test::detail::check_near(call_model(grouped<32, 4, 64>, net, call),
                                          run_model<reference>(grouped<32, 4, 64>, call_weights, call));
    live.begin();
    check_steps<decltype(grouped<8, 1, 16>), T>(
        live, prompt, run_model<reference>(grouped<8, 1, 16>, stream_weights, prompt),
        std::vector<std::size_t>{queries});
  }
}
