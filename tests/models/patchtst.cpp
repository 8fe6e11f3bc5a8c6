#include <fovea/models/patchtst.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

constexpr patchtst_config tiny{.layers = 2,
                               .heads = 4,
                               .width = 32,
                               .inner = 48,
                               .context = 24,
                               .horizon = 6,
                               .patch = 6,
                               .stride = 3,
                               .fixed_positions = true};
constexpr patchtst_config pooled = [] {
  patchtst_config c = tiny;
  c.pooled = true;
  return c;
}();
constexpr patchtst_config odd{.layers = 2,
                              .heads = 3,
                              .width = 15,
                              .inner = 11,
                              .context = 17,
                              .horizon = 5,
                              .patch = 4,
                              .stride = 3,
                              .norm_first = false};

// As transformers counts them, and the statistics of six norms.
static_assert(patchtst<granite_patchtst>.parameters() == 614'240 + 3 * 2 * 2 * 128);

constexpr auto shown = model(
    "patchtst_shown",
    [](graph& g) {
      const expr past = g.input<f32>("past_values", {"B", tiny.context, 3});
      const auto [values, mean, scale] = scaled_by_itself(past);
      expr x = patchtst_embeddings(values, tiny);
      const auto apart = [](expr y) { return reshape(y, {-1, 3, tiny.patches(), tiny.width}); };
      for (int i = 0; i < tiny.layers; ++i) {
        g.output(hidden_state_names[i], x);
        const scope layer(x, "layers", i);
        x = apart(patchtst_block(reshape(x, {-1, tiny.patches(), tiny.width}), tiny));
      }
      g.output("loc", mean);
      g.output("scale", scale);
      g.output("prediction_outputs", patchtst_head(x, tiny) * scale + mean);
    },
    patchtst_names);

constexpr auto learned = model(
    "patchtst_learned",
    [](graph& g) {
      g.output("prediction_outputs",
               patchtst_forecast(g.input<f32>("past_values", {"B", tiny.context, "C"}), tiny));
    },
    patchtst_names);

} // namespace

TEST_CASE("PatchTST agrees with transformers' PatchTSTForPrediction", "[patchtst]") {
  const golden_case c = case_of_today("patchtst");
  check_outputs(shown, c, weights_of(c), inputs_of(c));
  check_gradients(learned, c, weights_of(c), inputs_of(c));
}

TEST_CASE("PatchTST is the same on both backends", "[patchtst]") {
  compare(patchtst<odd>, {{"B", 3}, {"C", 5}});
  compare(patchtst<pooled>, {{"B", 3}, {"C", 5}});
  compare(patchtst_loss<odd>, {{"B", 2}, {"C", 1}});
}
