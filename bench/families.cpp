// Which encoder parallelises, and from which length on is another one faster? A recurrent, a convolutional
// and a self-attention encoder, each of 256 features in and out and of about a million parameters, take one
// sequence of T tokens.
//
//     families [--threads N...] [--rounds N] [--json FILE]
//
// ours_us is the time of a whole sequence; a token costs ours_us / steps. The bound is the share of the
// measured rate of multiply-adds.

#include "measure.hpp"
#include "random_weights.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fovea/fovea.hpp>
#include <fovea/models/tcn.hpp>
#include <fovea/models/transformer.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};
constexpr int width = 256, longest = 4096;

constexpr auto recurrent = model("recurrent", [](graph& g) {
  g.output("y", lstm(g.input<f32>("x", {B, T, width}), "rnn", width, {.layers = 2}));
});

// Eight convolutions, the last of which sees 31 tokens.
constexpr auto convolutional = model("convolutional", [](graph& g) {
  const models::tcn_config c{.blocks = 4, .in = width, .channels = width, .width = 2};
  g.output("y", models::tcn_stack(g.input<f32>("x", {B, T, width}), c));
});

constexpr auto self_attention = model("self-attention", [](graph& g) {
  const models::transformer_block_config c{.heads = 4, .width = width, .inner = 2 * width};
  g.output("y", models::stacked(g.input<f32>("x", {B, T, width}), 2, false, c,
                                [&](expr x) { return models::encoder_block(x, {}, c); }));
});

constexpr bool nearly_equal(std::int64_t a, std::int64_t b) {
  return 100 * a <= 102 * b && 100 * b <= 102 * a;
}
static_assert(nearly_equal(recurrent.parameters(), convolutional.parameters()));
static_assert(nearly_equal(recurrent.parameters(), self_attention.parameters()));
static_assert(nearly_equal(convolutional.parameters(), self_attention.parameters()));

struct row {
  std::string family;
  int threads;
  std::size_t steps;
  double flops, us;
};

/// Rows of one family, in which later rounds better what earlier ones found.
template <class M>
void time(const M& m, int threads, std::vector<row>& rows) {
  auto net = compile(m, bench::random_weights(m), {.capacity = {{B, 1}, {T, longest}}, .threads = threads});
  for (std::size_t steps = 16; steps <= longest; steps *= 2) {
    xt::xtensor<float, 3> x({1, steps, width});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 17) * 0.1f - 0.8f;
    const auto call = [&] { net("x"_in = x); };
    call();
    // A third of a second each, for then the shortest are timed a thousand times and the longest a few times.
    const double us = bench::best_us(2, call);
    const double best = std::min(us, bench::best_us(static_cast<int>(3e5 / us) + 1, call));
    const auto same = [&](const row& r) {
      return r.family == m.name && r.threads == threads && r.steps == steps;
    };
    if (const auto at = std::find_if(rows.begin(), rows.end(), same); at != rows.end()) {
      at->us = std::min(at->us, best);
      continue;
    }
    const auto size = static_cast<std::int64_t>(steps);
    rows.push_back({m.name, threads, steps, static_cast<double>(M::flops({{B, 1}, {T, size}})), best});
  }
}

} // namespace

int main(int argc, char** argv) try {
  std::vector<int> threads{1, 2};
  int rounds = 3;
  std::string file;
  CLI::App app{"Times a recurrent, a convolutional and a self-attention encoder of one size."};
  app.add_option("--threads", threads, "each number of threads to time");
  app.add_option("--rounds", rounds, "how often to time all rows; the best counts");
  app.add_option("--json", file, "where to write the rows");
  CLI11_PARSE(app, argc, argv);

  std::vector<row> rows;
  for (int round = 0; round < rounds; ++round)
    for (const int n : threads) {
      time(recurrent, n, rows);
      time(convolutional, n, rows);
      time(self_attention, n, rows);
    }

  nlohmann::json reported = nlohmann::json::array();
  double peak = 0;
  for (const row& r : rows) {
    if (reported.empty() || reported.back()["threads"] != r.threads) {
      thread_pool pool(static_cast<std::size_t>(r.threads));
      peak = bench::peak_rate(pool, simd::kernels().vector);
    }
    const double bound = r.flops / 2 / peak / r.us;
    std::printf("%-15s %d threads %5zu tokens %12.1f us %10.3f us a token  %4.2f\n", r.family.c_str(),
                r.threads, r.steps, r.us, r.us / static_cast<double>(r.steps), bound);
    reported.push_back({{"name", "families/" + r.family + "/" + std::to_string(r.steps)},
                        {"family", r.family},
                        {"steps", r.steps},
                        {"isa", instruction_set()},
                        {"threads", r.threads},
                        {"ours_us", r.us},
                        {"bound", bound}});
  }
  if (!file.empty()) std::ofstream(file) << reported.dump(2) << '\n';
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "families: %s\n", e.what());
  return 1;
}
