#include <fovea/models/parakeet.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

constexpr parakeet_config tiny{.layers = 2,
                               .heads = 4,
                               .width = 32,
                               .inner = 48,
                               .vocab = 24,
                               .blank = 0,
                               .mels = 16,
                               .halvings = 2,
                               .channels = 8,
                               .window = 5};

// As transformers counts the published models, and the statistics of a norm in each layer.
static_assert(parakeet<parakeet_600m>.parameters() == 608'799'745 + 24 * 2 * 1024);
static_assert(parakeet<parakeet_1b>.parameters() == 1'062'540'289 + 42 * 2 * 1024);

/// Layer after layer, with what each gives.
constexpr auto shown = model(
    "parakeet_shown",
    [](graph& g) {
      expr x = parakeet_frames(g.input<f32>("features", {"B", "F", tiny.mels}), tiny);
      for (int i = 0; i < tiny.layers; ++i) {
        g.output(hidden_state_names[i], x);
        const scope layer(x, "layers", i);
        x = conformer_block(x, parakeet_block(tiny));
      }
      g.output(hidden_state_names[tiny.layers], x);
      g.output("logits", parakeet_scores(x, tiny));
    },
    parakeet_names);

} // namespace

TEST_CASE("Parakeet agrees with transformers' ParakeetForCTC", "[parakeet]") {
  const golden_case c = case_of_today("parakeet_ctc");
  const named_values inputs = inputs_of(c, {{"targets", "labels"}});
  check_outputs(shown, c, weights_of(c), inputs);
  check_loss(parakeet_loss<tiny>, c, inputs);
}
