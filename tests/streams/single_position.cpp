// A small stream takes one position by a function of its own, and several by the steps of its plan: they
// agree.

#include <catch2/catch.hpp>

#include "last_case.hpp"

#include <cmath>

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

} // namespace

TEST_CASE("a small model takes a position by one function", "[stream]") {
  static constexpr auto cells = model("cells", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 3});
    const expr h =
        concat(axis(-1), gru(x, "gru", 9), lstm(x, "lstm", 20, {.layers = 2}), elman(x, "elman", 1));
    const expr given = parameter(x, "first", {30}), scaled = h * given;
    g.output("last", slice(scaled, axis(-1), 4, 17));
    g.output("y", linear(relu(scaled), "out", 2) + 0.5);
  });
  check_stream<T>(cells, {{"B", 3}, {"T", 9}});
  check_reordered<T>(cells, random_inputs(cells, {{"B", 3}, {"T", 6}}), random_weights(cells), {2, 2, 0});
  static_assert(decltype(stream<T>(cells, random_weights(cells), {}))::has_single_position);

  // Products of so many features that they fill vectors read them as such.
  static constexpr auto filled = model("filled", [](graph& g) {
    expr x = tanh(linear(g.input<f32>("x", {B, T, 3}), "first", 8));
    x = relu(linear(x, "second", 16)) * linear(x, "beside", 16);
    x = lstm(gru(linear(x, "third", 12), "gru", 16), "lstm", 8);
    g.output("y", linear(linear(x, "wide", 4), "out", 37));
  });
  check_stream<T>(filled, {{"B", 2}, {"T", 9}});
  check_stream<T>(filled, {{"B", 1}, {"T", 5}});
  static_assert(decltype(stream<T>(filled, random_weights(filled), {}))::has_single_position);

  // Weights that the first-level cache does not hold are read from either end.
  static constexpr auto outgrown = model("outgrown", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 3});
    g.output("y", concat(axis(-1), lstm(x, "lstm", 50), gru(x, "gru", 64)));
  });
  check_stream<T>(outgrown, {{"B", 2}, {"T", 5}});
  check_stream<T>(outgrown, {{"B", 1}, {"T", 6}});
  static_assert(decltype(stream<T>(outgrown, random_weights(outgrown), {}))::has_single_position);

  static constexpr auto started = model("started", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 3}), h = g.input<f32>("h", {B, 3});
    const auto swapped = scan(x, std::array{h, tanh(h)}, [](expr x_t, auto s) {
      const expr now = tanh(linear(x_t, "in", 3) + s[1]);
      return scan_step{s[0] - s[1], std::array{now, now + s[0]}};
    });
    g.output("y", swapped.output);
  });
  check_stream<T>(started, {{"B", 2}, {"T", 9}});
  static_assert(decltype(stream<T>(started, random_weights(started), {}))::has_single_position);

  // A state that is passed on as another is read after it was overwritten, were it not for the plan's own
  // steps.
  static constexpr auto delayed = model("delayed", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 3}), none = zeros(x, {B, 3});
    g.output("y", scan(x, std::array{none, none}, [](expr x_t, auto s) {
                    return scan_step{s[1], std::array{x_t, s[0]}};
                  }).output);
  });
  check_stream<T>(delayed, {{"B", 2}, {"T", 9}});
  static_assert(!decltype(stream<T>(delayed, random_weights(delayed), {}))::has_single_position);

  // What was kept is read before it is overwritten, in each layer.
  static constexpr auto differences = model("differences", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 3});
    const auto before = [](expr y) {
      return scan(y, zeros(y, {y.size(0), y.size(2)}), [](expr now, expr last) {
        return scan_step{last, now};
      });
    };
    g.output("y",
             repeat("h", 2, x - before(x), [&](expr y) { return linear(y + before(y) * 0.5, "mix", 3); }));
    g.output("before", before(x).output);
  });
  check_stream<T>(differences, {{"B", 2}, {"T", 9}});
  static_assert(decltype(stream<T>(differences, random_weights(differences), {}))::has_single_position);

  static constexpr auto filters = model("filters", [](graph& g) {
    expr x = g.input<f32>("x", {B, T, 1});
    for (int i = 0; i < 6; ++i) {
      auto layer = scope(x, "dilated", i);
      x = tanh(conv1d(x, "conv", 5, 3, {.dilation = 1 << i, .padding = causal}));
    }
    const expr y = repeat("h", 3, x, [](expr z) {
      const expr c = batch_norm(conv1d(z, "conv", 5, 2, {.dilation = 3, .padding = causal}), "norm");
      return z + relu(c) * sigmoid(linear(z, "gate", 5, {.bias = false}));
    });
    g.output("y", conv1d(y, "mix", 2, 1));
  });
  check_stream<T>(filters, {{"B", 2}, {"T", 250}});
  check_reordered<T>(filters, random_inputs(filters, {{"B", 3}, {"T", 6}}), random_weights(filters), {1, 0});
  static_assert(decltype(stream<T>(filters, random_weights(filters), {}))::has_single_position);
}

TEST_CASE("what has no positions is of the last one, of one row and of several", "[stream]") {
  static constexpr auto ended = model("ended", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 3});
    const auto h = gru(x, "gru", 9);
    g.output("y", linear(relu(h), "out", 2));
    g.output("state", h.state.hidden[0]);
    g.output("newest", last(h, T));
  });
  for (const std::size_t rows : {1u, 2u}) {
    check_stream<T>(ended, {{"B", rows}, {"T", 9}});
    check_last<T>(ended, {{"B", rows}, {"T", 9}});
  }
  static_assert(decltype(stream<T>(ended, random_weights(ended), {}))::has_single_position);
}

TEST_CASE("what all rows share is read by each, and kept once for all", "[stream]") {
  static constexpr auto louder = model("louder", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 3}), gain = g.input<f32>("gain", {3}),
               own = g.input<f32>("own", {B, 3});
    g.output("y", gru(x, "gru", 3) * gain + unsqueeze(own, 1));
  });
  check_stream<T>(louder, {{"B", 3}, {"T", 9}});
  static_assert(decltype(stream<T>(louder, random_weights(louder), {}))::has_single_position);
  static constexpr auto beside = model("beside", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 3}), c = g.input<f32>("c", {T, 3});
    g.output("y", x + conv1d(c, "conv", 3, 3, {.padding = causal}));
  });
  check_stream<T>(beside, {{"B", 3}, {"T", 9}});
}

TEST_CASE("positions that come two at a time are no rows", "[stream]") {
  static constexpr auto pairs = model("pairs", [](graph& g) {
    g.output("y", conv1d(g.input<f32>("x", {2 * T, 3}), "conv", 3, 3, {.padding = causal}));
  });
  const model_weights from = random_weights(pairs);
  auto net = compile(pairs, from, {.capacity = {{T, 9}}});
  auto live = stream<T>(pairs, from, {.capacity = {{T, 3}}});
  xt::xtensor<float, 2> x({18, 3});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(static_cast<float>(i));
  const xt::xtensor<float, 2> whole = net("x"_in = x)["y"_out];
  std::size_t at = 0;
  for (const std::size_t count : {2u, 2u, 6u, 2u, 4u, 2u}) {
    const xt::xtensor<float, 2> some = xt::view(x, xt::range(at, at + count), xt::all());
    const auto y = live.step("x"_in = some)["y"_out];
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < 3; ++k) CHECK(y(i, k) == Approx(whole(at + i, k)).margin(1e-6));
    at += count;
  }
}

TEST_CASE("a small recurrence takes a block's positions as it takes single ones", "[stream]") {
  static constexpr auto m = model("heard", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 2}), louder = g.input<f32>("louder", {B, T});
    const expr h = gru(x, "gru", 8);
    g.output("h", h);
    g.output("y", linear(h, "out", 3) * unsqueeze(louder, 2));
  });
  const model_weights from = random_weights(m);
  auto single = stream<T>(m, from, {.capacity = {{B, 1}, {T, 1}}});
  auto blocks = stream<T>(m, from, {.capacity = {{B, 1}, {T, 7}}});
  static_assert(decltype(blocks)::has_single_position);
  auto copied = blocks;
  float at = 0;
  for (const std::size_t count : {5u, 1u, 7u, 2u}) {
    xt::xtensor<float, 3> x({1, count, 2});
    xt::xtensor<float, 2> louder({1, count});
    for (std::size_t t = 0; t < count; ++t, ++at)
      x(0, t, 0) = std::sin(at), x(0, t, 1) = 0.5f, louder(0, t) = at;
    const auto out = blocks.step("x"_in = x, "louder"_in = louder);
    const xt::xtensor<float, 3> y = out["y"_out], h = out["h"_out];
    const xt::xtensor<float, 3> again = copied.step("x"_in = x, "louder"_in = louder)["y"_out];
    CHECK((again == y));
    for (std::size_t t = 0; t < count; ++t) {
      const xt::xtensor<float, 3> one_x = xt::view(x, xt::all(), xt::range(t, t + 1), xt::all());
      const xt::xtensor<float, 2> one_louder = xt::view(louder, xt::all(), xt::range(t, t + 1));
      const auto one = single.step("x"_in = one_x, "louder"_in = one_louder);
      for (std::size_t i = 0; i < 3; ++i) CHECK(one["y"_out](0, 0, i) == y(0, t, i));
      for (std::size_t i = 0; i < 8; ++i) CHECK(one["h"_out](0, 0, i) == h(0, t, i));
    }
  }
}

TEST_CASE("what was refused is refused again", "[stream]") {
  static constexpr auto m = model("plain", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 2}), none = zeros(x, {B, 2});
    g.output("y", scan(x, none, [](expr x_t, expr s) { return scan_step{s + x_t, s + x_t}; }));
  });
  auto live = stream<T>(m, model_weights::from({}), {.capacity = {{B, 2}, {T, 1}}});
  static_assert(decltype(live)::has_single_position);
  const xt::xtensor<float, 3> x = xt::ones<float>({1, 1, 2}), two_rows = xt::ones<float>({2, 1, 2});
  CHECK(live.step("x"_in = x)["y"_out](0, 0, 1) == 1);
  CHECK(live.step("x"_in = x)["y"_out](0, 0, 1) == 2);
  for (int i = 0; i < 2; ++i)
    CHECK_THROWS_WITH(live.step("x"_in = two_rows),
                      "plain: input \"x\" [B, T, 2]: axis 0 (B) is 2, but the stream has B = 1");
  CHECK(live.step("x"_in = x)["y"_out](0, 0, 1) == 3);
}
