// Calls of a stream that are refused, with what it keeps unharmed.

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fovea/fovea.hpp>

#include "../message_of.hpp"

using namespace fovea;
using namespace fovea::core;

namespace {

inline constexpr dim B{"B"}, T{"T"};

/// Keeps all keys, a window and a state.
constexpr auto declaration = model("stream_calls", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4});
  const expr h = gru(conv1d(x, "conv", 4, 3, {.padding = causal}), "rnn", 4);
  g.output("y", h + attention(h, h, h, {.heads = 2, .mask = causal}));
});

model_weights some_weights() {
  const auto values = [](std::vector<std::size_t> shape) {
    std::size_t count = 1;
    for (const std::size_t size : shape) count *= size;
    return weight_tensor{std::move(shape), std::vector<float>(count, 0.1f)};
  };
  return model_weights::from({{"conv.weight", values({4, 4, 3})},
                              {"conv.bias", values({4})},
                              {"rnn.weight_ih_l0", values({12, 4})},
                              {"rnn.weight_hh_l0", values({12, 4})},
                              {"rnn.bias_ih_l0", values({12})},
                              {"rnn.bias_hh_l0", values({12})}});
}

auto made_stream() { return stream<T>(declaration, some_weights(), {.capacity = {{B, 2}, {T, 8}}}); }

const xt::xtensor<float, 3> two = xt::ones<float>({2, 2, 4}), three = xt::ones<float>({2, 3, 4});
constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();

template <class F>
std::string message(const F& f) {
  return message_of<error>([&] { f(); });
}

} // namespace

TEST_CASE("a length beyond all numbers of positions is refused, with its row and the most") {
  auto live = made_stream();
  for (const std::size_t length : {huge, huge / 2 + 1, std::size_t{3}}) {
    const std::vector<std::size_t> lengths{2, length};
    CHECK(message([&] { live.step(lengths, "x"_in = two); }) ==
          "stream_calls: stream: expected lengths up to the 2 positions that are given, found " +
              std::to_string(length) + " for row 1");
    CHECK(live.position(0) == 0);
    CHECK(live.position(1) == 0);
  }
  const std::vector<std::size_t> none{0, 2};
  live.step(none, "x"_in = two);
  CHECK(live.position(0) == 0);
  CHECK(live.position(1) == 2);
}

TEST_CASE("a row beyond all rows is refused") {
  auto live = made_stream();
  live.step("x"_in = two);
  for (const std::size_t row : {huge, huge / 2 + 1, std::size_t{2}}) {
    const std::vector<std::size_t> rows{0, row};
    CHECK(message([&] { live.reorder(rows); }) ==
          "stream_calls: stream: expected rows from 0 to 1, found " + std::to_string(row));
    CHECK(message([&] { live.reset(row); }) ==
          "stream_calls: stream: expected a row from 0 to 1, found " + std::to_string(row));
  }
}

TEST_CASE("a state that no stream has saved is refused whole") {
  auto live = made_stream();
  live.step("x"_in = two);
  const stream_state good = live.save();
  const auto expected = live.step("x"_in = three)["y"_out](1, 2, 3);
  const auto refused = [&](const auto& change) {
    stream_state bad = good;
    change(bad);
    live.load(good);
    const std::string text = message([&] { live.load(bad); });
    CHECK(live.position(1) == 2);
    CHECK(live.step("x"_in = three)["y"_out](1, 2, 3) == expected);
    return text;
  };
  const std::string prefix = "stream_calls: stream: expected ";
  const std::string numbers = std::to_string(good.values.size());
  CHECK(refused([](stream_state& s) { s.values.pop_back(); }) ==
        prefix + "a state of numbers: " + numbers + ", found " + std::to_string(good.values.size() - 1));
  CHECK(refused([](stream_state& s) { s.positions[1] = -4; }) ==
        prefix + "a row after 0 to 8 positions, a multiple of 1, found one after -4");
  CHECK(refused([](stream_state& s) { s.positions[0] = 9; }) ==
        prefix + "a row after 0 to 8 positions, a multiple of 1, found one after 9");
  CHECK(refused([](stream_state& s) { s.positions.pop_back(); }) ==
        prefix + "a state of positions, one for each row: 2, found 1");
  CHECK(refused([](stream_state& s) { s.positions.assign(7, 1); }) ==
        prefix + "a state of positions, one for each row: 2, found 7");
  CHECK(refused([](stream_state& s) { s.sizes[0] = 300; }) == prefix + "a state of B = 1 to 2, found 300");
  CHECK(refused([](stream_state& s) { s.sizes[0] = -7; }) == prefix + "a state of B = 1 to 2, found -7");
  CHECK(refused([](stream_state& s) { s.sizes.clear(); }) ==
        prefix + "a state of sizes: " + std::to_string(good.sizes.size()) + ", found 0");
  CHECK(refused([](stream_state& s) { s.window_start = 1 << 20; }) ==
        prefix + "a state whose windows lie in their memory, found them at 1048576");
}

TEST_CASE("a row that no stream has saved is refused") {
  auto live = made_stream();
  live.step("x"_in = two);
  const stream_row good = live.save(0);
  for (const std::int64_t position :
       {std::int64_t{-1}, std::int64_t{9}, std::numeric_limits<std::int64_t>::min()}) {
    stream_row bad = good;
    bad.position = position;
    CHECK(message([&] { live.load(1, bad); }) ==
          "stream_calls: stream: expected a row after 0 to 8 positions, a multiple of 1, found one after " +
              std::to_string(position));
  }
  live.load(1, good);
  CHECK(live.position(1) == 2);
}

TEST_CASE("a row further on than any sequence is refused") {
  constexpr auto endless = model("endless", [](graph& g) {
    g.output("y", conv1d(g.input<f32>("x", {B, T, 2}), "near", 2, 3, {.padding = causal}));
  });
  const model_weights weights =
      model_weights::from({{"near.weight", {{2, 2, 3}, std::vector<float>(12, 0.1f)}},
                           {"near.bias", {{2}, std::vector<float>(2, 0.1f)}}});
  auto live = stream<T>(endless, weights, {.capacity = {{B, 1}, {T, 2}}});
  live.step("x"_in = xt::xtensor<float, 3>({1, 2, 2}, 1.0f));
  stream_row far = live.save(0);
  far.position = std::int64_t{1} << 62;
  CHECK(
      message([&] { live.load(0, far); }) ==
      "endless: stream: expected a row after 0 to 1099511627776 positions, a multiple of 1, found one after "
      "4611686018427387904");
}
