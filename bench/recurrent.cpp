// What does a small streamed model cost a sample, and a layer of 512 over 100 steps? The peers of the samples
// are timed by bench/peers/recurrent_rtneural.cpp, those of the layers by bench/peers/recurrent.py, on rows of the same
// names.

#include "measure.hpp"
#include "program.hpp"
#include "random_weights.hpp"

#include <cmath>
#include <fovea/fovea.hpp>
#include <optional>
#include <string>
#include <type_traits>

namespace {

using namespace fovea;
using namespace fovea::core;

inline constexpr dim B{"B"}, T{"T"};

template <bool gated_by_three>
constexpr expr recurrence(expr x, int hidden) {
  return gated_by_three ? expr(gru(x, "rnn", hidden)) : expr(lstm(x, "rnn", hidden));
}
template <bool gated_by_three>
inline constexpr auto layer_of_512 = model("layer", [](graph& g) {
  g.output("y", recurrence<gated_by_three>(g.input<f32>("x", {B, T, 512}), 512));
});

// One number in, one number out.
template <bool gated_by_three, int hidden>
inline constexpr auto cell = model("cell", [](graph& g) {
  const expr h = recurrence<gated_by_three>(g.input<f32>("x", {B, T, 1}), hidden);
  g.output("y", linear(h, "out", 1));
});
inline constexpr auto dense = model("dense", [](graph& g) {
  const expr h = tanh(linear(g.input<f32>("x", {B, T, 1}), "first", 8));
  g.output("y", linear(tanh(linear(h, "second", 8)), "out", 1));
});
/// Dilations 1, 2, 4, ... 128, and again from 1.
template <int layers>
inline constexpr auto dilated = model("dilated", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 1});
  for (int i = 0; i < layers; ++i) {
    auto layer = scope(x, "layers", i);
    x = tanh(conv1d(x, "conv", 16, 3, {.dilation = 1 << i % 8, .padding = causal}));
  }
  g.output("y", linear(x, "out", 1));
});

/// One row: microseconds a sample, with a call each and in blocks of 512.
template <class M>
void samples(const std::string& name, const M& m, bench::report& rows) {
  const model_weights from = bench::random_weights(m);
  constexpr std::size_t steps = 512;
  xt::xtensor<float, 3> block = xt::zeros<float>({std::size_t{1}, steps, std::size_t{1}}), one({1, 1, 1});
  for (std::size_t i = 0; i < steps; ++i) block(0, i, 0) = std::sin(0.1f * static_cast<float>(i));
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 1}}});
  [[maybe_unused]] volatile float heard = 0;
  const bench::timings calls = bench::times_us(1000, [&] {
    for (std::size_t i = 0; i < steps; ++i) {
      one(0, 0, 0) = block(0, i, 0);
      heard = live.step("x"_in = one)["y"_out](0, 0, 0);
    }
  });
  rows.add("recurrent/" + name + "/sample", calls.per(steps));
  auto blocks = stream<T>(m, from, {.capacity = {{B, 1}, {T, steps}}});
  rows.add("recurrent/" + name + "/sample of a block",
           bench::times_us(400, [&] { blocks.step("x"_in = block); }).per(steps));
}

template <bool gated_by_three, class format = f32>
void layer(std::size_t batch, bench::report& rows) {
  constexpr auto& m = layer_of_512<gated_by_three>;
  auto net = compile<format>(
      m, bench::random_weights(m),
      {.capacity = {{B, static_cast<std::int64_t>(batch)}, {T, 100}}, .threads = rows.threads});
  const xt::xtensor<float, 3> x = xt::ones<float>({batch, std::size_t{100}, std::size_t{512}}) * 0.1f;
  const auto flops = static_cast<double>(m.flops({{B, static_cast<std::int64_t>(batch)}, {T, 100}}));
  // The recurrent matrix is read at each step.
  constexpr double matrix = 512 * 512 * (gated_by_three ? 3 : 4) * sizeof(float);
  constexpr bool plain = std::is_same_v<format, f32>;
  rows.add((gated_by_three ? "recurrent/gru/512x100/" : "recurrent/lstm/512x100/") + std::to_string(batch) +
               (plain ? "" : std::string("/") + name_of(format_named<format>)),
           bench::times_us(batch == 1 ? 60 : 12, [&] { net("x"_in = x); }),
           plain ? std::optional(bench::demand{flops / 2, 100 * matrix, matrix}) : std::nullopt);
}

void measure(bench::report& rows) {
  for (const std::size_t batch : {std::size_t{1}, std::size_t{32}}) {
    layer<false>(batch, rows);
    layer<true>(batch, rows);
  }
  layer<false, bf16_products>(1, rows), layer<true, bf16_products>(1, rows);
  layer<false, integer_products<int8>>(1, rows), layer<true, integer_products<int8>>(1, rows);
  if (rows.threads > 1) return; // a sample is one thread's
  samples("dense 1-8-8-1", dense, rows);
  samples("gru/8", cell<true, 8>, rows);
  samples("gru/16", cell<true, 16>, rows);
  samples("gru/24", cell<true, 24>, rows);
  samples("gru/32", cell<true, 32>, rows);
  samples("gru/64", cell<true, 64>, rows);
  samples("lstm/8", cell<false, 8>, rows);
  samples("lstm/16", cell<false, 16>, rows);
  samples("lstm/24", cell<false, 24>, rows);
  samples("lstm/32", cell<false, 32>, rows);
  samples("lstm/64", cell<false, 64>, rows);
  samples("8 convolutions of 16", dilated<8>, rows);
  samples("20 convolutions of 16", dilated<20>, rows);
}

} // namespace

int main(int argc, char** argv) { return bench::run("Times recurrences.", argc, argv, measure); }
