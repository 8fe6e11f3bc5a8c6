// What does a call cost as the work grows? Self-attention over T tokens, a Transformer of B texts, an LSTM of
// so many hidden features: time, and the working memory of a call. (How the compiler's work grows with depth
// is bench/compile_cost.py's question.)
//
//     growth [--threads N] [--json FILE]

#include "measure.hpp"
#include "program.hpp"
#include "random_weights.hpp"
#include <fovea/fovea.hpp>
#include <fovea/models/self_attention.hpp>
#include <fovea/models/transformer.hpp>
#include <string>
#include <utility>

namespace {

using namespace fovea;
using namespace fovea::core;

inline constexpr dim B{"B"}, T{"T"};

/// One layer, 4 heads of 64.
constexpr auto attending = model("attention", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 256});
  g.output("y", models::scaled_attention(x, {.heads = 4, .head_width = 64}));
});

/// Two blocks over 32 tokens.
constexpr auto texts = model("batch", [](graph& g) {
  const models::transformer_block_config c{.heads = 4, .width = 256, .inner = 1024};
  g.output("y", models::stacked(g.input<f32>("x", {B, T, 256}), 2, false, c,
                                [&](expr x) { return models::encoder_block(x, {}, c); }));
});

/// Depth at run time: the same blocks, so many of them.
template <int blocks>
constexpr auto deep = model("depth", [](graph& g) {
  const models::transformer_block_config c{.heads = 4, .width = 64, .inner = 256};
  g.output("y", models::stacked(g.input<f32>("x", {B, T, 64}), blocks, false, c,
                                [&](expr x) { return models::encoder_block(x, {}, c); }));
});

template <int hidden>
constexpr auto recurrent = model("hidden", [](graph& g) {
  g.output("y", lstm(g.input<f32>("x", {B, T, hidden}), "rnn", hidden));
});

/// A row of `number` rows or tokens: `batch` texts of `tokens` tokens of `width` features.
template <class M>
void time(const M& m, std::size_t number, std::size_t batch, std::size_t tokens, std::size_t width,
          bench::report& rows) {
  const auto b = static_cast<std::int64_t>(batch), t = static_cast<std::int64_t>(tokens);
  auto net = compile(m, bench::random_weights(m), {.capacity = {{B, b}, {T, t}}, .threads = rows.threads});
  xt::xtensor<float, 3> x({batch, tokens, width});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 17) * 0.1f - 0.8f;
  const auto call = [&] { net("x"_in = x); };
  call();
  bench::timings us = bench::times_us(2, call);
  us.take(static_cast<int>(3e5 / us.best()) + 1, call);
  rows.add("growth/" + std::string(m.name) + "/" + std::to_string(number), us,
           bench::demand{static_cast<double>(M::flops({{B, b}, {T, t}})) / 2});
  rows.note("memory_bytes", static_cast<double>(net.arena_bytes()));
}

template <int... hidden>
void time_hidden(bench::report& rows, std::integer_sequence<int, hidden...>) {
  (time(recurrent<hidden>, hidden, 1, 16, hidden, rows), ...);
}

template <int... blocks>
void time_depth(bench::report& rows, std::integer_sequence<int, blocks...>) {
  (time(deep<blocks>, blocks, 1, 32, 64, rows), ...);
}

void measure(bench::report& rows) {
  for (std::size_t tokens = 16; tokens <= 16384; tokens *= 2) time(attending, tokens, 1, tokens, 256, rows);
  for (std::size_t batch = 1; batch <= 64; batch *= 2) time(texts, batch, batch, 32, 256, rows);
  time_hidden(rows, std::integer_sequence<int, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048>{});
  time_depth(rows, std::integer_sequence<int, 1, 2, 4, 8, 16, 32, 64, 96>{});
}

} // namespace

int main(int argc, char** argv) { return bench::run("Times calls as the work grows.", argc, argv, measure); }
