// What a stream forgets has never been.

#include <catch2/catch.hpp>

#include "../model_case.hpp"
#include "stream_rows_case.hpp"

#include <fovea/models/gpt2.hpp>

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr models::gpt2_config tiny{.layers = 2, .heads = 3, .width = 24, .vocab = 48, .context = 40};

std::vector<float> values_of(const auto& view) { return {view.begin(), view.end()}; }

} // namespace

TEMPLATE_TEST_CASE("a stream that is rewound is as one that has gone no further", "[stream]", f32, q8_0,
                   integer_products<q4_0>) {
  const model_weights weights = random_weights(models::gpt2<tiny>);
  const compile_options options{.capacity = {{B, 2}, {T, 12}}};
  const xt::xtensor<int, 2> first{{3, 40, 7, 1}, {11, 2, 2, 30}}, wrong{{9, 9, 9, 47, 0}, {5, 6, 7, 8, 9}},
      next{{8, 8, 1}, {4, 0, 33}};
  auto live = stream<T, TestType>(models::gpt2<tiny>, weights, options), fresh = live;
  const auto step = [](auto& of, const xt::xtensor<int, 2>& ids) {
    return values_of(of.step("tokens"_in = ids)["logits"_out]);
  };
  step(live, first), step(fresh, first);
  step(live, wrong);
  live.rewind(5);
  CHECK(live.position() == 4);
  CHECK(step(live, next) == step(fresh, next));

  // Up to the capacity, and back to the beginning.
  step(live, wrong);
  live.rewind(12);
  CHECK(live.position() == 0);
  fresh.begin();
  CHECK(step(live, first) == step(fresh, first));
  live.rewind(0);
  CHECK(live.position() == 4);

  // One row alone goes on from where it stood.
  live.rewind(1, 2);
  const xt::xtensor<int, 2> rest{{8, 1}, {2, 30}};
  live.step(std::vector<std::size_t>{0, 2}, "tokens"_in = rest);
  CHECK(step(live, next) == step(fresh, next));
}

TEST_CASE("a stream that keeps nothing forgets how many positions went before", "[stream]") {
  static constexpr auto m = model("counted", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    g.output("y", x + sinusoidal_positions(x));
  });
  check_stream<T>(m, {{"B", 2}, {"T", 9}});
  check_rows<T>(m, {{"B", 3}, {"T", 20}});
}

namespace {

/// Of a body over x [B, T, 4].
template <class F>
constexpr bool can_rewind(F) {
  constexpr auto m = model("m", [](graph& g) { g.output("y", F()(g.input<f32>("x", {B, T, 4}))); });
  return decltype(stream<T>(m, std::declval<const model_weights&>()))::can_rewind;
}

static_assert(can_rewind([](expr x) { return linear(x, "y", 4); }));
static_assert(can_rewind([](expr x) {
  return attention(rope(x, {.heads = 2}), x, x, {.heads = 2, .mask = causal});
}));
static_assert(can_rewind([](expr x) { return conv1d(x, "c", 4, 3, {.stride = 3}); }));
static_assert(!can_rewind([](expr x) { return attention(x, x, x, {.mask = window(3)}); }));
static_assert(!can_rewind([](expr x) { return conv1d(x, "c", 4, 3, {.padding = causal}); }));
static_assert(!can_rewind([](expr x) { return x + gru(x, "rnn", 4); }));
static_assert(!can_rewind([](expr x) { return cumsum(x, axis(1)); }));

} // namespace

TEST_CASE("a stream says by how much it cannot be rewound", "[stream]") {
  static constexpr auto m = model("rows", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 2});
    g.output("y", attention(x, x, x, {.mask = causal}));
  });
  auto live = stream<T>(m, model_weights::from({}), {.capacity = {{B, 4}, {T, 5}}});
  const xt::xtensor<float, 3> x = xt::ones<float>({2, 3, 2});
  live.step("x"_in = x);
  CHECK_THROWS_WITH(live.rewind(4),
                    "rows: stream: expected to rewind row 0 by at most the 3 positions that it "
                    "has taken, found 4");
  live.rewind(1, 1);
  CHECK_THROWS_WITH(live.rewind(3),
                    "rows: stream: expected to rewind row 1 by at most the 2 positions that it "
                    "has taken, found 3");
  CHECK(live.position(0) == 3); // nothing has changed
  CHECK_THROWS_WITH(live.rewind(2, 0), "rows: stream: expected a row from 0 to 1, found 2");
}
