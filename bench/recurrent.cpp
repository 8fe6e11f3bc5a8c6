// What does a small streamed model cost a sample, and a layer of 512 over 100 steps? The peers of the samples
// are in bench/RESULTS.md, those of the layers are timed by bench/peers/recurrent.py on rows of the same
// names.

#include "measure.hpp"
#include "random_weights.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fovea/fovea.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

namespace {

using namespace fovea;

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

nlohmann::json reported = nlohmann::json::array();

void report(const std::string& name, int threads, double us) {
  std::printf("%-28s %8d %12.3f us\n", name.c_str(), threads, us);
  reported.push_back({{"name", name},
                      {"isa", instruction_set()},
                      {"threads", threads},
                      {"ours_us", us},
                      {"bound", nullptr}});
}

/// One row: microseconds a sample, with a call each and in blocks of 512.
template <class M>
void samples(const std::string& name, const M& m) {
  const weights from = bench::random_weights(m);
  constexpr std::size_t steps = 512;
  xt::xtensor<float, 3> block = xt::zeros<float>({std::size_t{1}, steps, std::size_t{1}}), one({1, 1, 1});
  for (std::size_t i = 0; i < steps; ++i) block(0, i, 0) = std::sin(0.1f * static_cast<float>(i));
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 1}}});
  [[maybe_unused]] volatile float heard = 0;
  report(name + "/sample", 1, bench::best_us(1000, [&] {
                                for (std::size_t i = 0; i < steps; ++i) {
                                  one(0, 0, 0) = block(0, i, 0);
                                  heard = live.step("x"_in = one)["y"_out](0, 0, 0);
                                }
                              }) / steps);
  auto blocks = stream<T>(m, from, {.capacity = {{B, 1}, {T, steps}}});
  report(name + "/block", 1, bench::best_us(400, [&] { blocks.step("x"_in = block); }) / steps);
}

template <bool gated_by_three>
void layer(int threads, std::size_t batch) {
  constexpr auto& m = layer_of_512<gated_by_three>;
  auto net = compile(m, bench::random_weights(m),
                     {.capacity = {{B, static_cast<std::int64_t>(batch)}, {T, 100}}, .threads = threads});
  const xt::xtensor<float, 3> x = xt::ones<float>({batch, std::size_t{100}, std::size_t{512}}) * 0.1f;
  report((gated_by_three ? "gru/512x100/batch " : "lstm/512x100/batch ") + std::to_string(batch), threads,
         bench::best_us(batch == 1 ? 60 : 12, [&] { net("x"_in = x); }));
}

} // namespace

int main(int argc, char** argv) try {
  int threads = 1;
  bool only_samples = false;
  std::string file;
  CLI::App app{"Times recurrences."};
  app.add_option("--threads", threads, "of the layers of 512");
  app.add_flag("--samples", only_samples, "of small models only");
  app.add_option("--json", file, "where to write the rows");
  CLI11_PARSE(app, argc, argv);
  samples("dense 1-8-8-1", dense);
  samples("gru/8", cell<true, 8>);
  samples("gru/16", cell<true, 16>);
  samples("gru/24", cell<true, 24>);
  samples("gru/32", cell<true, 32>);
  samples("gru/64", cell<true, 64>);
  samples("lstm/8", cell<false, 8>);
  samples("lstm/16", cell<false, 16>);
  samples("lstm/24", cell<false, 24>);
  samples("lstm/32", cell<false, 32>);
  samples("lstm/64", cell<false, 64>);
  samples("dilated/8 layers of 16", dilated<8>);
  samples("dilated/20 layers of 16", dilated<20>);
  for (const std::size_t batch : {std::size_t{1}, std::size_t{32}}) {
    if (only_samples) break;
    layer<false>(threads, batch);
    layer<true>(threads, batch);
  }
  if (!file.empty()) std::ofstream(file) << reported.dump(2) << '\n';
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "recurrent: %s\n", e.what());
  return 1;
}
