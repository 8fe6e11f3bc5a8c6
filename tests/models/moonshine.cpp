#include <fovea/models/moonshine.hpp>

#include "translator_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

inline constexpr dim B{"B"}, N{"N"}, T{"T"};

constexpr moonshine_config tiny{.layers = 2, .heads = 4, .width = 32, .inner = 48, .rotary = 4, .vocab = 64};

// As transformers counts the published models.
static_assert(moonshine<moonshine_tiny>.parameters() == 27'092'736);
static_assert(moonshine<moonshine_base>.parameters() == 61'513'920);

constexpr auto shown = model(
    "moonshine_shown",
    [](graph& g) {
      const expr sound = g.input<f32>("sound", {B, N}), target = g.input<i32>("decoder_ids", {B, T});
      const expr words = moonshine_words(target, tiny);
      expr memory = moonshine_frames(sound, tiny), x = gather(words, target);
      {
        const scope inside(memory, "encoder");
        memory = show_layers(
            g, encoder_state_names, memory, [](expr y) { return moonshine_encoder_block(y, tiny); },
            [](expr y) { return moonshine_norm(y, "layer_norm"); });
      }
      {
        const scope inside(x, "decoder");
        x = show_layers(
            g, decoder_state_names, x, [&](expr y) { return moonshine_decoder_block(y, memory, tiny); },
            [](expr y) { return moonshine_norm(y, "norm"); });
      }
      g.output("logits", matmul(x, transpose(words)));
    },
    moonshine_names);

} // namespace

TEST_CASE("Moonshine agrees with transformers' MoonshineForConditionalGeneration", "[moonshine]") {
  const golden_case c = case_of_today("moonshine");
  const named_values inputs = inputs_of(c, {{"sound", "waveform"}, {"targets", "labels"}});
  check_outputs(shown, c, weights_of(c), inputs);
  check_loss(moonshine_loss<tiny>, c, inputs);
  check_stream<T>(moonshine<tiny>, inputs, weights_of(c));
}

TEST_CASE("Moonshine writes what transformers' writes of the first case", "[moonshine]") {
  const golden_case c = case_of_today("moonshine");
  const xt::xtensor<float, 2> first = xt::view(floats<2>(c, "waveform"), xt::range(0, 1));
  on_both_backends([&](auto backend) {
    auto net =
        compile<decltype(backend)>(moonshine<tiny>, weights_of(c), {.capacity = {{B, 1}, {N, 5000}, {T, 9}}});
    check_greedy(c, [&](const auto& written) {
      return net("sound"_in = first, "decoder_ids"_in = written)["logits"_out];
    });
  });
}
