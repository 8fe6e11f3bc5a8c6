// A stream gives at each step what the whole sequence gives there.

#include <catch2/catch.hpp>

#include "stream_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

} // namespace

TEST_CASE("recurrences go on from their state", "[stream]") {
  check_stream<T>(model("lstm",
                        [](graph& g) {
                          const expr x = g.input<f32>("x", {B, T, 5});
                          g.output("y", lstm(x, "rnn", 7, {.layers = 2}));
                        }),
                  {{"B", 2}, {"T", 9}});
  check_stream<T>(model("gru",
                        [](graph& g) {
                          const expr ids = g.input<i32>("ids", {B, T}), h = g.input<f32>("h", {B, 6});
                          recurrent_state state;
                          state.count = 1, state.hidden[0] = tanh(h);
                          const expr x = embedding(ids, "words", 11, 6);
                          g.output("y", linear(gru(x, "rnn", 6, {.initial = state}), "out", 3));
                        }),
                  {{"B", 3}, {"T", 8}});
}

TEST_CASE("rows go on as those they were", "[stream]") {
  static constexpr auto m = model("beams", [](graph& g) {
    const expr ids = g.input<i32>("ids", {B, T}), lengths = g.input<i32>("lengths", {B});
    const expr source = g.input<f32>("source", {B, S, 6});
    const expr x = gru(embedding(ids, "words", 11, 6), "rnn", 6);
    const expr y = repeat("h", 2, x, [&](expr z) {
      z = z + attention(linear(z, "q", 6), linear(z, "k", 6), z, {.heads = 2, .mask = causal});
      return z + attention(z, linear(source, "memory", 6), source, {.mask = padding(lengths)});
    });
    g.output("y", conv1d(y, "out", 3, 3, {.padding = causal}));
  });
  const named_values inputs = random_inputs(m, {{"B", 3}, {"T", 6}, {"S", 4}});
  for (const std::vector<std::size_t>& rows : {std::vector<std::size_t>{2, 0, 1}, {1, 1, 1}, {2}, {0, 2}})
    check_reordered<T>(m, inputs, random_weights(m), rows);
}

TEST_CASE("positions along another dim are not those of the stream", "[stream]") {
  check_stream<T>(
      model("other_positions",
            [](graph& g) {
              const expr source = g.input<f32>("source", {B, S, 4}), x = g.input<f32>("x", {B, T, 4});
              g.output("y", scan(x, mean(source, S), [&](expr x_t, expr h) {
                         const expr places = rope(source * unsqueeze(h, 1)) + sinusoidal_positions(source);
                         const expr counted = to_float(range(h, S)) * 0.1;
                         const expr next = tanh(x_t + sum(places * unsqueeze(counted, 1), axis(1)));
                         return scan_step{next, next};
                       }));
            }),
      {{"B", 2}, {"T", 6}, {"S", 5}});
}

TEST_CASE("a stream says what it cannot take", "[stream]") {
  static constexpr auto m = model("plain", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 2}), h = g.input<f32>("h", {B, 2});
    g.output("y", scan(x, h, [](expr x_t, expr s) { return scan_step{s + x_t, s + x_t}; }));
  });
  auto live = stream<T>(m, model_weights::from({}), {.capacity = {{B, 2}, {T, 3}}});
  const xt::xtensor<float, 3> x = xt::ones<float>({1, 1, 2});
  const xt::xtensor<float, 2> h = xt::ones<float>({1, 2});
  CHECK_THROWS_WITH(live.step("x"_in = x), "plain: stream: expected begin(...) before the first step");
  live.begin("h"_in = h);
  CHECK(live.step("x"_in = x)["y"_out](0, 0, 1) == 2);
  const xt::xtensor<float, 3> two_rows = xt::ones<float>({2, 1, 2}), three = xt::ones<float>({1, 3, 2});
  CHECK_THROWS_WITH(live.step("x"_in = two_rows),
                    "plain: input \"x\" [B, T, 2]: axis 0 (B) is 2, but the stream has B = 1");
  const xt::xtensor<float, 3> four = xt::ones<float>({1, 4, 2});
  CHECK_THROWS_WITH(live.step("x"_in = four),
                    "plain: input \"x\" [B, T, 2]: axis 1 (T) is 4, expected 1 to 3, the capacity of T");
  CHECK(live.step("x"_in = three)["y"_out](0, 2, 1) == 5); // a state alone goes on without end
  CHECK(live.step("x"_in = x)["y"_out](0, 0, 1) == 6);
  const std::vector<std::size_t> rows{1};
  CHECK_THROWS_WITH(live.reorder(rows), "plain: stream: expected rows from 0 to 0, found 1");
  live.begin("h"_in = h);
  CHECK(live.step("x"_in = x)["y"_out](0, 0, 1) == 2);
}

TEST_CASE("where positions are kept or numbered, there is a last one", "[stream]") {
  static constexpr auto m = model("numbered", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 2});
    g.output("y", x + unsqueeze(to_float(range(x, T)), 1));
  });
  auto live = stream<T>(m, model_weights::from({}), {.capacity = {{B, 1}, {T, 3}}});
  live.begin();
  const xt::xtensor<float, 3> two = xt::ones<float>({1, 2, 2});
  live.step("x"_in = two);
  CHECK_THROWS_WITH(
      live.step("x"_in = two),
      "numbered: stream: expected at most 3 positions, the capacity of T, found 2 more after 2");
}

TEST_CASE("what is kept of all positions bounds them", "[stream]") {
  static constexpr auto m = model("bounded", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 2});
    g.output("y", attention(x, x, x, {.mask = causal}));
  });
  auto live = stream<T>(m, model_weights::from({}), {.capacity = {{B, 2}, {T, 3}}});
  const xt::xtensor<float, 3> x = xt::ones<float>({1, 1, 2}), three = xt::ones<float>({1, 3, 2});
  CHECK(live.step("x"_in = x)["y"_out](0, 0, 1) == 1);
  CHECK_THROWS_WITH(live.step("x"_in = three),
                    "bounded: stream: expected at most 3 positions, the capacity of T, found 3 more after 1");
  CHECK(live.step("x"_in = x)["y"_out](0, 0, 1) == 1);
  CHECK(live.step("x"_in = x)["y"_out](0, 0, 1) == 1);
  CHECK_THROWS_WITH(live.step("x"_in = x),
                    "bounded: stream: expected at most 3 positions, the capacity of T, found 1 more after 3");
  live.begin();
  CHECK(live.step("x"_in = three)["y"_out](0, 2, 1) == 1);
}

TEST_CASE("windows keep what they see, however long the stream", "[stream]") {
  static constexpr auto windowed = model("windowed", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 8});
    const expr y = repeat("h", 2, x, [](expr z) {
      z = z + attention(linear(z, "q", 8), linear(z, "k", 4), linear(z, "v", 4),
                        {.heads = 2, .kv_heads = 1, .score = alibi(2), .mask = window(5)});
      return z + attention(z, z, z, {.heads = 2, .mask = causal & attention_mask([](scalar q, scalar k) {
                                                           return q - k < 3 && k != q;
                                                         })});
    });
    g.output("y", attention(y, y, y, {.mask = window(2)}) + attention(y, y, y, {.mask = window(1)}));
  });
  check_stream<T>(windowed, {{"B", 2}, {"T", 150}});
  const named_values inputs = random_inputs(windowed, {{"B", 3}, {"T", 6}});
  check_reordered<T>(windowed, inputs, random_weights(windowed), {2, 0, 2});

  // Rotary and sinusoidal positions beyond those of a call are made as they come.
  check_stream<T>(model("endless",
                        [](graph& g) {
                          const expr in = g.input<f32>("x", {B, T, 8}), x = in + sinusoidal_positions(in);
                          const expr q = rope(linear(x, "q", 8), {.heads = 2, .pairing = neighbours}),
                                     k = rope(linear(x, "k", 4), {.heads = 1, .pairing = neighbours});
                          g.output("y", attention(q, k, linear(x, "v", 4),
                                                  {.heads = 2, .kv_heads = 1, .mask = window(4)}));
                        }),
                  {{"B", 2}, {"T", 150}});

  // The memory is that of the windows, and no number of positions is too many.
  static constexpr auto last_two = model("last_two", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    g.output("y", attention(x, x, x, {.mask = window(2)}));
  });
  auto live = stream<T>(last_two, model_weights::from({}), {.capacity = {{B, 1}, {T, 1}}});
  CHECK(live.state_bytes() < 4096);
  for (int i = 0; i < 1000; ++i) {
    const xt::xtensor<float, 3> x = xt::ones<float>({1, 1, 4}) * static_cast<float>(i % 7);
    const float y = live.step("x"_in = x)["y"_out](0, 0, 0);
    // A mean of it and the one before; a query of zeros scores both the same.
    if (i > 0 && i % 7 == 0)
      CHECK(y == Approx(3));
    else
      CHECK((y <= static_cast<float>(i % 7) && y >= static_cast<float>(i % 7 - 1)));
  }
  // A mask by the numbers of positions, not by how far they are apart, needs them all.
  check_stream<T>(model("absolute",
                        [](graph& g) {
                          const expr x = g.input<f32>("x", {B, T, 4});
                          g.output("y",
                                   attention(x, x, x, {.mask = causal & attention_mask([](scalar, scalar k) {
                                                                 return k >= 2;
                                                               })}));
                        }),
                  {{"B", 1}, {"T", 90}});
}

TEST_CASE("attention keeps keys and values, layer by layer", "[stream]") {
  check_stream<T>(model("transformer",
                        [](graph& g) {
                          const expr ids = g.input<i32>("ids", {B, T});
                          expr x = embedding(ids, "words", 11, 8) +
                                   learned_positions(ids, "positions", {.context = 16, .width = 8});
                          x = repeat("h", 2, x, [](expr y) {
                            const expr h = layer_norm(y, "norm");
                            return y + attention(linear(h, "q", 8), linear(h, "k", 8), linear(h, "v", 8),
                                                 {.heads = 2, .mask = causal});
                          });
                          g.output("y", x);
                        }),
                  {{"B", 2}, {"T", 9}});
  check_stream<T>(
      model("rotary",
            [](graph& g) {
              const expr x = g.input<f32>("x", {B, T, 8});
              const expr q = rope(linear(x, "q", 8), {.heads = 2}), k = rope(linear(x, "k", 4), {.heads = 1});
              g.output("y", attention(q, k, linear(x, "v", 4),
                                      {.heads = 2, .kv_heads = 1, .score = alibi(2), .mask = window(3)}) +
                                sinusoidal_positions(x));
            }),
      {{"B", 1}, {"T", 13}});
}

TEST_CASE("convolutions keep what their windows see", "[stream]") {
  check_stream<T>(model("convolutions",
                        [](graph& g) {
                          expr x = g.input<f32>("x", {B, T, 3});
                          x = relu(conv1d(x, "a", 4, 3, {.padding = causal}));
                          x = x + tanh(conv1d(x, "b", 4, 2, {.dilation = 3, .padding = causal}));
                          g.output("y", conv1d(x, "c", 2, 1));
                        }),
                  {{"B", 2}, {"T", 10}});
  // Longer than the memory of the windows, depthwise, in groups, and over planes whose height is time.
  static constexpr auto many = model("many", [](graph& g) {
    expr x = g.input<f32>("x", {B, T, 6});
    x = x + conv1d(x, "depthwise", 6, 4, {.padding = causal, .groups = 6});
    x = x + conv1d(x, "groups", 6, 3, {.dilation = 2, .padding = causal, .groups = 2});
    g.output("y",
             repeat("h", 3, x, [](expr y) { return y + tanh(conv1d(y, "c", 6, 2, {.padding = causal})); }));
  });
  check_stream<T>(many, {{"B", 2}, {"T", 203}});
  check_reordered<T>(many, random_inputs(many, {{"B", 3}, {"T", 6}}), random_weights(many), {1, 1, 0});
}

TEST_CASE("what does not depend on time is computed once", "[stream]") {
  static constexpr auto m = model("decoder", [](graph& g) {
    const expr source = g.input<f32>("source", {B, S, 6}), lengths = g.input<i32>("lengths", {B});
    const expr memory = lstm(source, "encoder", 6, {.lengths = lengths});
    const expr x = g.input<f32>("x", {B, T, 6});
    const expr attended = repeat("h", 2, x, [&](expr y) {
      return y + attention(linear(y, "q", 6), linear(memory, "k", 6), memory, {.mask = padding(lengths)});
    });
    g.output("y", scan(attended, mean(memory, S), [&](expr x_t, expr h) {
               const expr next = tanh(linear(x_t, "x", 6) + linear(h, "h", 6));
               return scan_step{next, next};
             }));
  });
  check_stream<T>(m, {{"B", 2}, {"T", 7}, {"S", 5}});
  check_reordered<T>(m, random_inputs(m, {{"B", 3}, {"T", 6}, {"S", 4}}), random_weights(m), {2, 0});

  // The keys of each layer, and what a scan's body computes of the source, are no work of a step.
  static constexpr auto bodies = model("bodies", [](graph& g) {
    const expr source = g.input<f32>("source", {B, S, 6}), x = g.input<f32>("x", {B, T, 6});
    const expr y = repeat("outer", 2, x, [&](expr z) {
      return repeat("inner", 3, z, [&](expr u) {
        const expr keys = tanh(linear(source, "k", 6));
        return u + attention(linear(u, "q", 6), keys, linear(keys, "v", 6), {.heads = 2});
      });
    });
    g.output("y", scan(y, zeros(y, {B, 6}), [&](expr x_t, expr h) {
               const expr next = tanh(x_t + linear(h, "h", 6) + linear(mean(source, S), "source", 6));
               return scan_step{next, next};
             }));
  });
  check_stream<T>(bodies, {{"B", 2}, {"T", 7}, {"S", 5}});
  using moving = fovea::core::detail::streamed_step<decltype(bodies)::source, T>;
  constexpr int products = [] {
    int n = 0;
    for (int id = 0; id < moving::built.node_count; ++id) n += moving::built.nodes[id].kind == op::linear;
    return n;
  }();
  static_assert(products == 2); // of q and h
}
