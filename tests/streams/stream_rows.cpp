// Rows of a stream stand at positions of their own.

#include <catch2/catch.hpp>

#include "stream_rows_case.hpp"

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

} // namespace

TEST_CASE("rows of a Transformer go at their own pace", "[stream]") {
  check_rows<T>(model("learned",
                      [](graph& g) {
                        const expr ids = g.input<i32>("ids", {B, T});
                        expr x = embedding(ids, "words", 11, 8) +
                                 learned_positions(ids, "positions", {.context = 20, .width = 8}) +
                                 sinusoidal_positions(ids, {.width = 8});
                        x = repeat("h", 2, x, [](expr y) {
                          const expr h = layer_norm(y, "norm");
                          return y + attention(linear(h, "q", 8), linear(h, "k", 8), linear(h, "v", 8),
                                               {.heads = 2, .mask = causal});
                        });
                        g.output("y", x);
                      }),
                {{"B", 3}, {"T", 20}});
  check_rows<T>(
      model("rotary",
            [](graph& g) {
              const expr x = g.input<f32>("x", {B, T, 8});
              const expr q = rope(linear(x, "q", 8), {.heads = 2}), k = rope(linear(x, "k", 4), {.heads = 1}),
                         v = linear(x, "v", 4);
              const expr steps = to_float(range(x, T)) * 0.1;
              g.output("y",
                       attention(
                           q, k, v,
                           {.heads = 2, .kv_heads = 1, .score = alibi(2), .mask = window(3), .soft_cap = 3}) +
                           attention(q, k, v, {.heads = 2, .kv_heads = 1, .mask = causal}) *
                               unsqueeze(steps, 1));
            }),
      {{"B", 3}, {"T", 20}});
}

TEST_CASE("rows go beyond the positions of a call, each to its own", "[stream]") {
  check_rows<T>(model("endless",
                      [](graph& g) {
                        const expr in = g.input<f32>("x", {B, T, 8}), x = in + sinusoidal_positions(in);
                        const expr q = rope(x, {.heads = 2}), k = rope(x, {.heads = 2, .offset = 3});
                        g.output("y", attention(q, k, x, {.heads = 2, .mask = window(4)}));
                      }),
                {{"B", 3}, {"T", 20}});
}

TEST_CASE("recurrences and convolutions are kept row by row", "[stream]") {
  check_rows<T>(model("recurrent",
                      [](graph& g) {
                        const expr ids = g.input<i32>("ids", {B, T}), h = g.input<f32>("h", {B, 6});
                        recurrent_state state;
                        state.count = 1, state.hidden[0] = tanh(h);
                        expr x = gru(embedding(ids, "words", 11, 6), "gru", 6, {.initial = state});
                        x = lstm(x, "lstm", 7, {.layers = 2});
                        x = x + conv1d(x, "a", 7, 4, {.padding = causal});
                        g.output("y", tanh(conv1d(x, "b", 5, 2, {.dilation = 3, .padding = causal})));
                      }),
                {{"B", 3}, {"T", 20}});
  // Whole layers of it, and what counts its positions inside of a scan.
  check_rows<T>(model("layers",
                      [](graph& g) {
                        const expr x = g.input<f32>("x", {B, T, 40});
                        const expr y = repeat("h", 3, x, [](expr z) {
                          z = gru(z, "rnn", 40) + conv1d(z, "c", 40, 3, {.padding = causal, .groups = 40});
                          return z + attention(z, z, z, {.heads = 4, .mask = window(4)});
                        });
                        // Halved: the scan would amplify what the layers have rounded.
                        g.output("y", scan(y, y.owner->input<f32>("first", {B, 40}), [](expr x_t, expr h) {
                                   const expr next = tanh((linear(h, "h", 40) + x_t) * 0.5);
                                   return scan_step{next, next};
                                 }));
                      }),
                {{"B", 3}, {"T", 20}});
}

TEST_CASE("an encoder's memory stays with a row that begins again", "[stream]") {
  check_rows<T>(
      model("decoder",
            [](graph& g) {
              const expr source = g.input<f32>("source", {B, S, 6}), lengths = g.input<i32>("lengths", {B});
              const expr x = g.input<f32>("x", {B, T, 6});
              const expr y = repeat("h", 2, x, [&](expr z) {
                z = z + attention(linear(z, "q", 6), linear(z, "k", 6), z, {.mask = causal});
                return z + attention(z, linear(source, "memory", 6), source, {.mask = padding(lengths)});
              });
              g.output("y", y);
            }),
      {{"B", 3}, {"T", 20}, {"S", 4}});
}

TEST_CASE("outputs have their rows wherever the batch is", "[stream]") {
  check_rows<T>(model("turned",
                      [](graph& g) {
                        const expr x = g.input<f32>("x", {B, T, 4}), y = gru(x, "rnn", 8);
                        const expr heads = reshape(y, {B, T, 4, 2});
                        g.output("positions_outside", permute(y, {1, 0, 2}));
                        g.output("rows_inside", permute(y, {1, 2, 0}));
                        g.output("rows_beside_features", permute(y, {2, 0, 1}));
                        g.output("heads_outside", permute(heads, {2, 0, 1, 3}));
                        g.output("heads_inside", reshape(permute(heads, {0, 2, 1, 3}), {4 * B, T, 2}));
                        g.output("positions_before_heads", permute(heads, {1, 2, 0, 3}));
                      }),
                {{"B", 3}, {"T", 20}});
}

TEST_CASE("a row that takes fewer positions leaves the state after its last", "[stream]") {
  static constexpr auto m = model("ends", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    const auto made = gru(x, "rnn", 4);
    g.output("each", made);
    g.output("state", made.state.hidden[0]);
    g.output("turned", transpose(made.state.hidden[0]));
    g.output("flat", reshape(made.state.hidden[0], {4 * B}));
  });
  auto live = stream<T>(m, random_weights(m), {.capacity = {{B, 2}, {T, 5}}});
  const xt::xtensor<float, 3> x = xt::arange<float>(24).reshape({2, 3, 4}) * 0.05f;
  const std::vector<std::size_t> lengths{3, 1};
  const auto found = live.step(lengths, "x"_in = x);
  const auto each = found["each"_out];
  const auto state = found["state"_out], turned = found["turned"_out];
  const auto flat = found["flat"_out];
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t i = 0; i < 4; ++i) {
      const float right = each(row, lengths[row] - 1, i);
      CHECK(state(row, i) == right);
      CHECK(turned(i, row) == right);
      CHECK(flat(row * 4 + i) == right);
    }
}

TEST_CASE("a row moves to a stream of another capacity", "[stream]") {
  static constexpr auto m = model("prompt", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    const expr y = attention(x, x, x, {.mask = causal}) + conv1d(x, "c", 4, 3, {.padding = causal});
    g.output("y", gru(y, "rnn", 4));
  });
  const model_weights from = random_weights(m);
  auto reader = stream<T>(m, from, {.capacity = {{B, 1}, {T, 7}}});
  auto live = stream<T>(m, from, {.capacity = {{B, 4}, {T, 30}}});
  const xt::xtensor<float, 3> prompt = xt::arange<float>(24).reshape({1, 6, 4}) * 0.05f;
  const xt::xtensor<float, 3> x = xt::ones<float>({1, 1, 4}), both = xt::ones<float>({2, 1, 4});
  reader.step("x"_in = prompt);
  live.load(1, reader.save(0));
  const auto found = live.step("x"_in = both)["y"_out];
  const auto right = reader.step("x"_in = x)["y"_out];
  CHECK(live.position(0) == 1);
  CHECK(live.position(1) == 7);
  for (std::size_t i = 0; i < 4; ++i) CHECK(found(1, 0, i) == Approx(right(0, 0, i)).epsilon(1e-5));

  auto shorter = stream<T>(m, from, {.capacity = {{B, 1}, {T, 5}}});
  CHECK_THROWS_WITH(
      shorter.load(0, live.save(1)),
      "prompt: stream: expected a row after 0 to 5 positions, a multiple of 1, found one after 7");
  CHECK_THROWS_WITH(shorter.load(0, {{1, 2}, 3}), "prompt: stream: expected the 36 numbers that a row "
                                                  "of this model keeps after 3 positions, found 2");
}

TEST_CASE("a stream says which rows and lengths it cannot take", "[stream]") {
  static constexpr auto m = model("rows", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 2});
    g.output("y", attention(x, x, x, {.mask = causal}));
  });
  auto live = stream<T>(m, model_weights::from({}), {.capacity = {{B, 4}, {T, 5}}});
  const xt::xtensor<float, 3> x = xt::ones<float>({2, 3, 2});
  const std::vector<std::size_t> one{1}, longer{4, 1}, unequal{3, 1}, last{1, 3};
  CHECK_THROWS_WITH(live.step(one, "x"_in = x),
                    "rows: stream: expected 2 lengths, one for each row, found 1");
  CHECK_THROWS_WITH(live.step(longer, "x"_in = x),
                    "rows: stream: expected lengths up to the 3 positions that are given, found 4 for row 0");
  const auto y = live.step(unequal, "x"_in = x)["y"_out];
  CHECK(y(0, 2, 1) == 1);
  CHECK(y(1, 0, 1) == 1);
  CHECK(y(1, 1, 1) == 0);
  CHECK_THROWS_WITH(live.step("x"_in = x),
                    "rows: stream: expected at most 5 positions, the capacity of T, found 3 more after 3");
  live.step(last, "x"_in = x);
  CHECK(live.position(0) == 4);
  CHECK(live.position(1) == 4);
  CHECK_THROWS_WITH(live.step(last, "x"_in = x),
                    "rows: stream: expected at most 5 positions, the capacity of T, found 3 more after 4");
  CHECK_THROWS_WITH(live.reset(2), "rows: stream: expected a row from 0 to 1, found 2");
  CHECK_THROWS_WITH(live.copy(0, 5), "rows: stream: expected a row from 0 to 1, found 5");
}
