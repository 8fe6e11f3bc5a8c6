// MiniLM's sentence encoder, from token ids to a vector: the peers' times are those of
// bench/peers/encoder.py.
//
//     encoder --model DIR [--threads N] [--json FILE]

#include "measure.hpp"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>
#include <fstream>
#include <minilm_encoder.hpp>
#include <nlohmann/json.hpp>

using namespace fovea;

namespace {

constexpr struct { std::size_t batch, tokens; } shapes[] = {{1, 16}, {1, 32}, {1, 128}, {8, 128}};

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Times MiniLM's sentence encoder."};
  std::string folder, json;
  int threads = 1;
  app.add_option("--model", folder, "the folder of model.safetensors")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--threads", threads, "threads");
  app.add_option("--json", json, "write the rows to this file");
  CLI11_PARSE(app, argc, argv);

  double start_us = 0;
  nlohmann::json rows = nlohmann::json::array();
  {
    const double begin = bench::now_us();
    auto net = minilm_encoder::compile(load_weights(folder),
                                       {.capacity = {{"B", 8}, {"T", 128}}, .threads = threads});
    start_us = bench::now_us() - begin;
    thread_pool pool(static_cast<std::size_t>(threads));
    double peak = bench::peak_rate(pool, simd::kernels().vector);
    for (const auto [batch, tokens] : shapes) {
      const xt::xtensor<std::int32_t, 2> ids = xt::ones<std::int32_t>({batch, tokens}) * 2000;
      const xt::xtensor<std::int32_t, 2> types = xt::zeros<std::int32_t>({batch, tokens});
      const xt::xtensor<std::int32_t, 1> lengths =
          xt::ones<std::int32_t>({batch}) * static_cast<std::int32_t>(tokens);
      const auto call = [&] { net("tokens"_in = ids, "types"_in = types, "lengths"_in = lengths); };
      call();
      const double us = bench::best_us(batch * tokens >= 512 ? 12 : 60, call);
      const auto flops = models::sentence_encoder<models::minilm>.flops(
          {{"B", static_cast<std::int64_t>(batch)}, {"T", static_cast<std::int64_t>(tokens)}});
      const std::string name = "encoder/minilm/" + std::to_string(batch) + "x" + std::to_string(tokens);
      rows.push_back({{"name", name},
                      {"isa", instruction_set()},
                      {"threads", threads},
                      {"ours_us", us},
                      {"flops", flops}});
    }
    // What else the machine does can only lower the peak that is seen.
    peak = std::max(peak, bench::peak_rate(pool, simd::kernels().vector));
    for (nlohmann::json& row : rows) {
      row["bound"] = row["flops"].get<double>() / 2 / peak / row["ours_us"].get<double>();
      row.erase("flops");
      std::printf("%-28s %10.1f us  %4.1f %% of the peak\n", row["name"].get<std::string>().c_str(),
                  row["ours_us"].get<double>(), 100 * row["bound"].get<double>());
    }
  }
  std::printf("start-up with weights %.1f ms\n", start_us / 1000);
  if (!json.empty()) std::ofstream(json) << rows.dump(2) << '\n';
}
