#include <fovea/models/wav2vec2_conformer.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

constexpr wav2vec2_conformer_config tiny{.base = {.layers = 2,
                                                  .heads = 4,
                                                  .width = 32,
                                                  .inner = 48,
                                                  .vocab = 20,
                                                  .layer_norms = true,
                                                  .features = 16,
                                                  .convolutions = 2,
                                                  .windows = {12, 8},
                                                  .strides = {8, 8}},
                                         .window = 5,
                                         .activation = activation::gelu};

constexpr wav2vec2_conformer_config tiny_rotary{.base = tiny.base, .window = 5, .rotary = true};

// As transformers counts the published models, less the vector of training's masks and the convolution over positions that
// is not used, and the statistics of a norm in each layer.
static_assert(wav2vec2_conformer<wav2vec2_conformer_large>.parameters() ==
              618'591'904 - 1024 - 8'389'760 + 24 * 2 * 1024);
static_assert(wav2vec2_conformer<wav2vec2_conformer_rope_large>.parameters() ==
              593'376'928 - 1024 - 8'389'760 + 24 * 2 * 1024);

/// Layer after layer, with what each gives.
template <wav2vec2_conformer_config c>
constexpr auto shown = model(
    "wav2vec2_conformer_shown",
    [](graph& g) {
      expr x = wav2vec2_conformer_frames(g.input<f32>("waveform", {"B", "N"}), c);
      for (int i = 0; i < c.base.layers; ++i) {
        g.output(hidden_state_names[i], x);
        const scope layer(x, "layers", i);
        x = conformer_block(x, wav2vec2_conformer_block(c));
      }
      g.output(hidden_state_names[c.base.layers], x);
      g.output("logits", wav2vec2_scores(layer_norm(x, "norm"), c.base));
    },
    wav2vec2_conformer_names);

template <wav2vec2_conformer_config of>
void check(const char* name) {
  const golden_case c = case_of_today(name);
  const named_values inputs = inputs_of(c, {{"sound", "waveform"}, {"targets", "labels"}});
  check_outputs(shown<of>, c, weights_of(c), inputs);
  check_loss(wav2vec2_conformer_loss<of>, c, inputs);
}

} // namespace

TEST_CASE("wav2vec 2.0 with Conformer layers agrees with transformers' Wav2Vec2ConformerForCTC",
          "[wav2vec2]") {
  check<tiny>("wav2vec2_conformer");
  check<tiny_rotary>("wav2vec2_conformer_rotary");
}
