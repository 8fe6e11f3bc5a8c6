#include <fovea/models/modernbert.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using models::modernbert_config;

namespace {

constexpr modernbert_config tiny{.layers = 4, .heads = 4, .width = 32, .inner = 48, .vocab = 96, .window = 6};

// As transformers counts answerdotai/ModernBERT-base, with its head.
static_assert(models::modernbert_masked_language_model<models::modernbert_base>.parameters() == 149'655'232);

/// Layer after layer, with what each gives.
constexpr auto shown = model(
    "modernbert_shown",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"}),
                 words = models::modernbert_words(tokens, tiny);
      expr x = models::modernbert_norm(gather(words, tokens), "embed_norm", tiny);
      for (int i = 0; i < tiny.layers; ++i) {
        g.output(hidden_state_names[i], x);
        const scope layer(x, "layers", i);
        x = models::modernbert_block(x, lengths, tiny, i);
      }
      x = models::modernbert_norm(x, "norm", tiny);
      g.output(hidden_state_names[tiny.layers], x);
      g.output("logits", models::modernbert_token_scores(x, words, tiny));
    },
    models::modernbert_names<tiny>);

} // namespace

TEST_CASE("ModernBERT agrees with transformers' ModernBertForMaskedLM", "[modernbert]") {
  const golden_case c = case_of_today("modernbert");
  named_values inputs = inputs_of(c, {{"tokens", "ids"}, {"targets", "labels"}});
  inputs["lengths"] = lengths_of_mask(c);
  check_outputs(shown, c, weights_of(c), inputs);
  check_outputs(models::modernbert_masked_language_model<tiny>, c, weights_of(c), inputs);
  check_loss(models::modernbert_masked_language_model_loss<tiny>, c, inputs);
}
