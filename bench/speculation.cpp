// What does a step of several tokens cost beside one of a single token? It is what speculative decoding pays for each try:
// GPT-2 small (124 million parameters), weights of no meaning, after 64 tokens, with the scores of each token of the step.
//
//     speculation [--threads N] [--rounds N] [--json FILE]

#include "program.hpp"
#include "random_weights.hpp"
#include <fovea/fovea.hpp>
#include <fovea/models/gpt2.hpp>
#include <map>
#include <string>

namespace {

using namespace fovea;
using namespace fovea::core;

inline constexpr dim B{"B"}, T{"T"};
constexpr int steps = 12;

template <class format>
void measure(const model_weights& from, int rounds, bench::report& measured) {
  auto live = stream<T, format>(models::gpt2<models::gpt2_small>, from,
                                {.capacity = {{B, 1}, {T, 128}}, .threads = measured.threads});
  const xt::xtensor<int, 2> prompt = xt::arange<int>(64).reshape({1, 64});
  live.step("tokens"_in = prompt);
  std::map<int, bench::timings> us;
  for (int round = 0; round < rounds; ++round)
    for (const int tokens : {1, 2, 3, 5, 9, 17}) {
      const xt::xtensor<int, 2> ids = xt::view(prompt, xt::all(), xt::range(0, tokens));
      us[tokens].take(steps, [&] {
        live.step("tokens"_in = ids);
        live.rewind(static_cast<std::size_t>(tokens));
      });
    }
  const std::string row = std::string("speculation/GPT-2 124M/") + name_of(format_named<format>) + "/";
  for (const auto& [tokens, t] : us) {
    measured.add(row + std::to_string(tokens) + (tokens == 1 ? " token" : " tokens"), t);
    measured.note("times a token", t.best() / us[1].best());
  }
}

} // namespace

int main(int count, char** words) {
  int rounds = 4;
  return bench::run(
      "Times steps of one and of several tokens of a language model.", count, words,
      [&](bench::report& measured) {
        const model_weights from = bench::random_weights(models::gpt2<models::gpt2_small>);
        measure<f32>(from, rounds, measured);
        measure<bf16>(from, rounds, measured);
        measure<q8_0>(from, rounds, measured);
        measure<integer_products<q8_0>>(from, rounds, measured);
        measure<integer_products<q4_0>>(from, rounds, measured);
      },
      [&](CLI::App& app) {
        app.add_option("--rounds", rounds, "how often the steps are timed in turn")
            ->check(CLI::Range(1, 1000));
      });
}
