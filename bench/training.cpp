// What does a step of training cost: loss, gradients and the update? PyTorch's times are those of
// bench/peers/training.py on rows of the same names.
//
//     training [--threads N] [--json FILE] [--only TEXT]

#include "measure.hpp"
#include "program.hpp"

#include <fovea/fovea.hpp>
#include <fovea/models/gpt2.hpp>
#include <fovea/models/kim_cnn.hpp>
#include <fovea/models/rnn.hpp>
#include <fovea/models/transformer.hpp>

#include <fstream>
#include <string>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;

namespace {

inline constexpr dim B{"B"}, T{"T"};

template <gpt2_config c>
inline constexpr auto gpt = model("gpt", [](graph& g) {
  const expr logits = gpt2_logits(g.input<i32>("tokens", {B, T}), c);
  g.output("loss", cross_entropy(logits, g.input<i32>("targets", {B, T})));
});

inline constexpr rnn_config words{.vocab = 10000, .width = 300, .hidden = 300, .layers = 2};
inline constexpr auto lstm_of_words = model("lstm", [](graph& g) {
  const expr logits = rnn_logits(g.input<i32>("tokens", {B, T}), words);
  g.output("loss", cross_entropy(logits, g.input<i32>("targets", {B, T})));
});

inline constexpr kim_cnn_config reviews{.vocab = 18000, .width = 300, .classes = 2, .dropout = 0};
inline constexpr auto sentences = model("kim_cnn", [](graph& g) {
  const expr features = kim_cnn_features(kim_cnn_words(g.input<i32>("tokens", {B, T}), reviews), reviews);
  g.output("loss", cross_entropy(kim_cnn_scores(features, reviews), g.input<i32>("targets", {B})));
});

inline constexpr transformer_block_config block{.heads = 4, .width = 256, .inner = 1024};
inline constexpr auto encoder = model("encoder", [](graph& g) {
  const expr tokens = g.input<i32>("tokens", {B, T});
  expr x = embedding(tokens, "words", 10000, 256);
  x = repeat("layers", 4, x, [](expr y) { return encoder_block(y, attention_mask(), block); });
  g.output("loss", cross_entropy(linear(mean(x, axis(1)), "scores", 2), g.input<i32>("targets", {B})));
});

template <std::size_t rank>
xt::xtensor<std::int32_t, rank> numbers(const std::array<std::size_t, rank>& shape, std::uint32_t below) {
  xt::xtensor<std::int32_t, rank> made(shape);
  std::uint32_t state = 1;
  for (std::int32_t& x : made) {
    state = state * 1664525 + 1013904223;
    x = static_cast<std::int32_t>((state >> 8) % below);
  }
  return made;
}

// The most memory that the process has held, of Linux.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }
double peak_mebibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

struct measurement {
  bench::report& rows;
  const std::string& only;

  template <class products = f32, class M, class targets>
  void operator()(const std::string& name, const M& model, std::size_t batch, std::size_t length,
                  std::uint32_t vocab, const targets& expected, int repeats) const {
    if (name.find(only) == std::string::npos) return;
    forget_peak();
    auto fit = train<products>(
        model, adamw{}, initial_weights(model),
        {.capacity = {{B, static_cast<std::int64_t>(batch)}, {T, static_cast<std::int64_t>(length)}},
         .regime = regime::large,
         .threads = rows.threads});
    const auto tokens = numbers<2>({batch, length}, vocab);
    const auto step = [&] { fit.step("tokens"_in = tokens, "targets"_in = expected); };
    step();
    const bench::timings us = bench::times_us(repeats, step);
    // Products with weights and inputs in both directions: three times the loss alone.
    const auto flops = static_cast<double>(
        3 * model.flops({{B, static_cast<std::int64_t>(batch)}, {T, static_cast<std::int64_t>(length)}}));
    rows.add("training/" + name, us, bench::demand{flops / 2});
    rows.note("peak_mib", peak_mebibytes());
  }
};

void measure(bench::report& rows, const std::string& only) {
  const measurement row{rows, only};
  const auto& small = gpt<{.layers = 4, .heads = 4, .width = 128, .vocab = 65, .context = 64}>;
  const auto& large = gpt<{.layers = 6, .heads = 6, .width = 384, .vocab = 65, .context = 256}>;
  row("gpt/4x128/12x64", small, 12, 64, 65, numbers<2>({12, 64}, 65), 30);
  row("gpt/6x384/12x256", large, 12, 256, 65, numbers<2>({12, 256}, 65), 3);
  row.operator()<bf16_products>("gpt/4x128/12x64/bf16", small, 12, 64, 65, numbers<2>({12, 64}, 65), 30);
  row.operator()<bf16_products>("gpt/6x384/12x256/bf16", large, 12, 256, 65, numbers<2>({12, 256}, 65), 3);
  row("lstm/2x300/20x35", lstm_of_words, 20, 35, 10000, numbers<2>({20, 35}, 10000), 5);
  row("kim_cnn/3x100/50x56", sentences, 50, 56, 18000, numbers<1>({50}, 2), 10);
  row("encoder/4x256/32x64", encoder, 32, 64, 10000, numbers<1>({32}, 2), 5);
}

} // namespace

int main(int argc, char** argv) {
  std::string only;
  return bench::run(
      "Times a step of training.", argc, argv, [&](bench::report& rows) { measure(rows, only); },
      [&](CLI::App& app) { app.add_option("--only", only, "rows whose name holds this text"); });
}
