// What steps of several streams in flight gain where a model is in two stages, on one rank each.
//
//     mpirun -n 2 stages [--rows 64] [--streams 2] [--steps 20] [--rounds 5]
//
// A GPT writes so many texts, of which each stream has a part: tokens a second of all, the best of the rounds, in which the
// ways take turns. Without mpirun one process has both stages.

#include "random_weights.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fovea/fovea.hpp>
#include <fovea/models/gpt2.hpp>
#include <fovea/mpi/mpi_group.hpp>
#include <fovea/runtime/staged_stream.hpp>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};
inline constexpr models::gpt2_config size{
    .layers = 12, .heads = 8, .width = 512, .vocab = 4096, .context = 512};
inline constexpr auto gpt = last<T>(models::gpt2<size>);
using token_rows = xt::xtensor<int, 2>;

/// The token with the highest score in each row.
template <class outputs>
token_rows next(const outputs& out) {
  const auto logits = out["logits"_out]; // [B, 1, vocab]
  const std::size_t rows = logits.shape()[0];
  token_rows chosen = xt::empty<int>({rows, std::size_t{1}});
  for (std::size_t row = 0; row < rows; ++row) {
    const float* first = logits.data() + row * static_cast<std::size_t>(size.vocab);
    chosen(row, 0) = static_cast<int>(std::max_element(first, first + size.vocab) - first);
  }
  return chosen;
}

/// Seconds of so many steps of all streams: each to its end before the next, or all of them in flight.
template <class S>
double seconds_of(std::vector<S>& streams, std::size_t rows, int steps, bool in_flight) {
  std::vector<token_rows> tokens(streams.size(), xt::ones<int>({rows, std::size_t{1}}));
  for (S& one : streams) one.begin();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i)
    for (std::size_t k = 0; k < streams.size(); ++k) {
      if (!in_flight || i > 0)
        tokens[k] = in_flight ? next(streams[k].end_step()) : next(streams[k].step("tokens"_in = tokens[k]));
      if (in_flight) streams[k].begin_step("tokens"_in = tokens[k]);
    }
  for (S& one : streams)
    if (in_flight) one.end_step();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void run(std::size_t rows, std::size_t streams, int steps, int rounds) {
  const rank_group group = mpi_group();
  const model_weights weights = core::bench::random_weights(gpt);
  const auto made = [&](std::size_t count) {
    const auto each = static_cast<std::int64_t>(rows / count);
    return std::vector(
        count,
        stream_stages<T, 2>(gpt, weights, group, {.capacity = {{B, each}, {T, size.context}}, .threads = 1}));
  };
  auto whole = made(1), parts = made(streams);
  const std::string share = std::to_string(streams) + " streams ";
  std::map<std::string, double> best; // seconds
  const auto time = [&](const std::string& way, auto& live, bool in_flight) {
    const double now = seconds_of(live, rows / live.size(), steps, in_flight);
    const auto [before, is_first] = best.emplace(way, now);
    if (!is_first) before->second = std::min(before->second, now);
  };
  for (int round = 0; round < rounds; ++round) {
    time("one stream", whole, false);
    time(share + "in turn", parts, false);
    time(share + "in flight", parts, true);
  }
  if (group.rank() > 0) return;
  std::printf("%d ranks, %zu texts\n", group.size(), rows);
  for (const auto& [way, taken] : best)
    std::printf("%-20s %8.0f tokens/s\n", way.c_str(), static_cast<double>(rows) * steps / taken);
}

} // namespace

int main(int count, char** words) try {
  CLI::App app{"Times stages with steps in flight"};
  std::size_t rows = 64, streams = 2;
  int steps = 20, rounds = 5;
  app.add_option("--rows", rows)->check(CLI::PositiveNumber);
  app.add_option("--streams", streams, "that share the rows")->check(CLI::PositiveNumber);
  app.add_option("--steps", steps)->check(CLI::Range(1, size.context));
  app.add_option("--rounds", rounds)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, count, words);
  if (rows % streams != 0)
    throw error("expected rows that divide among " + std::to_string(streams) + " streams, found " +
                std::to_string(rows));
  run(rows, streams, steps, rounds);
} catch (const std::exception& problem) {
  std::fprintf(stderr, "%s\n", problem.what());
  return 1;
}
