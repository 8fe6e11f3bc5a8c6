// MiniLM's sentence encoder, from token ids to a vector: the peers' times are those of
// bench/peers/encoder.py.
//
//     encoder --model DIR [--threads N] [--json FILE]

#include "measure.hpp"
#include "program.hpp"
#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>
#include <minilm_encoder.hpp>

using namespace fovea;

namespace {

constexpr struct { std::size_t batch, tokens; } shapes[] = {{1, 16}, {1, 32}, {1, 128}, {8, 128}};

void measure(const std::string& folder, bench::report& rows) {
  const double begin = bench::now_us();
  auto net = minilm_encoder::compile(load_weights(folder),
                                     {.capacity = {{"B", 8}, {"T", 128}}, .threads = rows.threads});
  std::printf("start-up with weights %.1f ms\n", (bench::now_us() - begin) / 1000);
  thread_pool pool(static_cast<std::size_t>(rows.threads));
  const double peak = bench::peak_rate(pool, simd::kernels().vector);
  double us[std::size(shapes)];
  for (std::size_t i = 0; i < std::size(shapes); ++i) {
    const auto [batch, tokens] = shapes[i];
    const xt::xtensor<std::int32_t, 2> ids = xt::ones<std::int32_t>({batch, tokens}) * 2000;
    const xt::xtensor<std::int32_t, 2> types = xt::zeros<std::int32_t>({batch, tokens});
    const xt::xtensor<std::int32_t, 1> lengths =
        xt::ones<std::int32_t>({batch}) * static_cast<std::int32_t>(tokens);
    const auto call = [&] { net("tokens"_in = ids, "types"_in = types, "lengths"_in = lengths); };
    call();
    us[i] = bench::best_us(batch * tokens >= 512 ? 12 : 60, call);
  }
  // What else the machine does can only lower the peak that is seen.
  const double higher = std::max(peak, bench::peak_rate(pool, simd::kernels().vector));
  for (std::size_t i = 0; i < std::size(shapes); ++i) {
    const auto [batch, tokens] = shapes[i];
    const auto flops = static_cast<double>(models::sentence_encoder<models::minilm>.flops(
        {{"B", static_cast<std::int64_t>(batch)}, {"T", static_cast<std::int64_t>(tokens)}}));
    rows.add("encoder/minilm/" + std::to_string(batch) + "x" + std::to_string(tokens), us[i],
             flops / 2 / higher / us[i]);
  }
}

} // namespace

int main(int argc, char** argv) {
  std::string folder;
  return bench::run(
      "Times MiniLM's sentence encoder.", argc, argv, [&](bench::report& rows) { measure(folder, rows); },
      [&](CLI::App& app) {
        app.add_option("--model", folder, "the folder of model.safetensors")
            ->required()
            ->check(CLI::ExistingDirectory);
      });
}
