// MiniLM's sentence encoder, from token ids to a vector, in float32, by products of bfloat16 and of integers: the
// peers' times are those of bench/peers/encoder.py.
//
//     encoder --model DIR [--threads N] [--json FILE]

#include "measure.hpp"
#include "program.hpp"
#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>
#include <minilm_encoder.hpp>
#include <optional>
#include <string>
#include <utility>

using namespace fovea;
using namespace fovea::core;

namespace {

constexpr struct { std::size_t batch, tokens; } shapes[] = {{1, 16}, {1, 32}, {1, 128}, {8, 128}};

/// Times of each shape.
template <class compiled>
void measure(const std::string& kind, compiled net, bench::report& rows) {
  for (const auto& [batch, tokens] : shapes) {
    const xt::xtensor<std::int32_t, 2> ids = xt::ones<std::int32_t>({batch, tokens}) * 2000;
    const xt::xtensor<std::int32_t, 2> types = xt::zeros<std::int32_t>({batch, tokens});
    const xt::xtensor<std::int32_t, 1> lengths =
        xt::ones<std::int32_t>({batch}) * static_cast<std::int32_t>(tokens);
    const auto call = [&] { net("tokens"_in = ids, "types"_in = types, "lengths"_in = lengths); };
    call();
    const auto flops = static_cast<double>(models::sentence_encoder<models::minilm>.flops(
        {{"B", static_cast<std::int64_t>(batch)}, {"T", static_cast<std::int64_t>(tokens)}}));
    const std::optional<bench::demand> floats{{flops / 2}};
    rows.add("encoder/" + kind + "/" + std::to_string(batch) + "x" + std::to_string(tokens),
             bench::times_us(batch * tokens >= 512 ? 12 : 60, call),
             kind == "minilm" ? floats : std::nullopt);
  }
}

void measure(const std::string& folder, bench::report& rows) {
  const double begin = bench::now_us();
  const model_weights from = load_weights(folder);
  const compile_options options{.capacity = {{"B", 8}, {"T", 128}}, .threads = rows.threads};
  auto net = minilm_encoder::compile(from, options);
  std::printf("start-up with weights %.1f ms\n", (bench::now_us() - begin) / 1000);
  measure("minilm", std::move(net), rows);
  measure("minilm-bf16", compile<bf16_products>(models::sentence_encoder<models::minilm>, from, options),
          rows);
  measure("minilm-int8",
          compile<integer_products<int8>>(models::sentence_encoder<models::minilm>, from, options), rows);
  measure("minilm-q8_0",
          compile<integer_products<q8_0>>(models::sentence_encoder<models::minilm>, from, options), rows);
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
