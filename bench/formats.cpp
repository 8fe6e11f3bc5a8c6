// What do weights in fewer bytes give? A token of GPT-2 small (124 million parameters) and of a Llama of 134
// million (768 wide, 12 layers, 2,048 inside, a vocabulary of 32,000 of its own at both ends), weights of no
// meaning in each format, after a prompt of 64 tokens; and a prompt of 128 tokens. Both give the scores of
// the next token alone.
//
//     formats [--threads N] [--rounds N] [--json FILE]
//
// The limit of a token is the bandwidth of reading memory for the bytes that must be read: all weights of
// products, in their format, and of the rest what a token needs.

#include "measure.hpp"
#include "program.hpp"
#include "random_weights.hpp"
#include <fovea/fovea.hpp>
#include <fovea/models/gpt2.hpp>
#include <fovea/models/llama.hpp>
#include <fovea/weights/from_floats.hpp>
#include <map>
#include <string>

namespace {

using namespace fovea;
using namespace fovea::core;

inline constexpr dim B{"B"}, T{"T"};
constexpr int prompt = 128;
constexpr models::llama_config llama_134m{
    .layers = 12, .heads = 12, .kv_heads = 12, .width = 768, .inner = 2048, .vocab = 32000};
static_assert(models::llama<llama_134m>.parameters() == 134'105'856);

/// The bytes that a token reads: of a table without a product, one row.
template <class M>
double bytes_read(const M&, weight_format format) {
  const formatted_parameters in_format = formatted(M::view, format_named<q8_0>);
  const auto type = element_of(format);
  const double each =
      type ? static_cast<double>(block_bytes(*type)) / static_cast<double>(block_length(*type)) : 1;
  double bytes = 0;
  for (std::size_t p = 0; p < M::view.parameters.size(); ++p) {
    const shape& s = M::view.at(M::view.parameters[p].node).shape;
    const auto row = static_cast<double>(M::view.number(s[-1]));
    for (std::int64_t layer = 0; layer < M::view.layers(M::view.parameters[p].node); ++layer)
      bytes += in_format.names.contains(M::view.parameter_name(static_cast<int>(p), layer).text)
                   ? each * row * static_cast<double>(M::view.number(s[0]))
                   : 4 * row;
  }
  return bytes;
}

struct timed {
  bench::timings token, prompt;
};

template <class format, class M>
void time(const M& m, const model_weights& from, int threads, timed& us) {
  auto live = stream<T, format>(last<T>(m), from, {.capacity = {{B, 1}, {T, prompt}}, .threads = threads});
  xt::xtensor<int, 2> ids({1, prompt}), one{{7}};
  for (std::size_t i = 0; i < ids.size(); ++i) ids(0, i) = static_cast<int>(i * 37 % 1000);
  for (int round = 0; round < 2; ++round) {
    live.begin();
    us.prompt.take(1, [&] { live.step("tokens"_in = ids); });
  }
  live.begin();
  live.step("tokens"_in = xt::view(ids, xt::all(), xt::range(0, prompt / 2)));
  us.token.take(prompt / 2, [&] { live.step("tokens"_in = one); });
}

/// All formats in turn, so that a machine that others use too disturbs none of them alone.
template <class M>
void measure(const char* name, const M& m, int rounds, bench::report& measured) {
  const model_weights from = bench::random_weights(m);
  std::map<weight_format, timed> us;
  for (int round = 0; round < rounds; ++round) {
    all_formats::each([&]<class format>(format) {
      if constexpr (format_named<format> != format_named<int8>) // which takes what q8_0 does
        time<format>(m, from, measured.threads, us[format_named<format>]);
    });
  }
  constexpr double memory = 256 << 20; // no cache holds so many bytes
  for (const auto& [format, t] : us) {
    const std::string row = "formats/" + std::string(name) + "/" + name_of(format);
    measured.add(row + "/token", t.token, bench::demand{0, bytes_read(m, format), memory});
    measured.add(row + "/prompt of 128", t.prompt);
  }
}

} // namespace

int main(int count, char** words) {
  int rounds = 2;
  return bench::run(
      "Times tokens and prompts of language models with weights in each format.", count, words,
      [&](bench::report& measured) {
        measure("GPT-2 124M", models::gpt2<models::gpt2_small>, rounds, measured);
        measure("Llama 134M", models::llama<llama_134m>, rounds, measured);
      },
      [&](CLI::App& app) {
        app.add_option("--rounds", rounds, "how often the formats are timed in turn")
            ->check(CLI::Range(1, 1000));
      });
}
