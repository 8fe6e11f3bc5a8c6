#include <fovea/models/wav2vec2.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

constexpr wav2vec2_config tiny{.layers = 2,
                               .heads = 4,
                               .width = 32,
                               .inner = 48,
                               .vocab = 20,
                               .features = 16,
                               .convolutions = 3,
                               .windows = {10, 8, 4},
                               .strides = {5, 4, 4},
                               .position_window = 8,
                               .position_groups = 4};

// As transformers counts the published models, less the vector of training's masks.
static_assert(wav2vec2<wav2vec2_base>.parameters() == 94'396'320 - 768);
static_assert(wav2vec2<wav2vec2_large>.parameters() == 315'471'520 - 1024);

/// Layer after layer, with what each gives.
constexpr auto shown = model(
    "wav2vec2_shown",
    [](graph& g) {
      constexpr transformer_block_config block = wav2vec2_block(tiny);
      expr x = wav2vec2_embeddings(wav2vec2_frames(g.input<f32>("waveform", {"B", "N"}), tiny), tiny);
      for (int i = 0; i < tiny.layers; ++i) {
        g.output(hidden_state_names[i], x);
        const scope layer(x, "layers", i);
        x = encoder_block(x, {}, block);
      }
      g.output(hidden_state_names[tiny.layers], x);
      g.output("logits", wav2vec2_scores(x, tiny));
    },
    wav2vec2_names);

} // namespace

TEST_CASE("wav2vec 2.0 agrees with transformers' Wav2Vec2ForCTC", "[wav2vec2]") {
  const golden_case c = case_of_today("wav2vec2_ctc");
  const named_values inputs = inputs_of(c, {{"sound", "waveform"}, {"targets", "labels"}});
  check_outputs(shown, c, weights_of(c), inputs);
  check_loss(wav2vec2_loss<tiny>, c, inputs);
}
