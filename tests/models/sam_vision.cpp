#include <fovea/models/sam_vision.hpp>

#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

// A plane of 7 by 7 patches, windows of 3: the last ones are filled up.
constexpr sam_vision_config tiny{.layers = 3,
                                 .heads = 4,
                                 .width = 32,
                                 .inner = 48,
                                 .period = 3,
                                 .image = 28,
                                 .patch = 4,
                                 .window = 3,
                                 .features = 16};

// As transformers counts the published models.
static_assert(sam_vision<sam_vision_base>.parameters() == 89'670'912);
static_assert(sam_vision<sam_vision_large>.parameters() == 308'278'272);
static_assert(sam_vision<sam_vision_huge>.parameters() == 637'026'048);

/// The pixels of the case as they lie there.
constexpr expr pixels_of(graph& g) { return permute(g.input<f32>("pixels", {"B", 3, 28, 28}), {0, 2, 3, 1}); }

/// Layer after layer, with what each gives.
constexpr auto shown = model(
    "sam_vision_shown",
    [](graph& g) {
      expr x = sam_vision_embeddings(pixels_of(g), tiny);
      for (int i = 0; i < tiny.layers; ++i) {
        g.output(hidden_state_names[i], x);
        const scope layer(x, "layers", i);
        x = sam_vision_block(x, i == 2, tiny);
      }
      g.output(hidden_state_names[tiny.layers], x);
      g.output("last_hidden_state", permute(sam_vision_neck(x, tiny), {0, 3, 1, 2}));
    },
    sam_vision_names);

constexpr auto learned = model(
    "sam_vision_learned",
    [](graph& g) {
      g.output("last_hidden_state", permute(sam_vision_encoder(pixels_of(g), tiny), {0, 3, 1, 2}));
    },
    sam_vision_names);

} // namespace

TEST_CASE("SAM's image encoder agrees with transformers' SamVisionModel", "[sam]") {
  const golden_case c = case_of_today("sam_vision");
  check_outputs(shown, c, weights_of(c), inputs_of(c));
  check_gradients(learned, c, weights_of(c), inputs_of(c));
}

TEST_CASE("SAM's image encoder is read from a checkpoint of the whole model", "[sam]") {
  const golden_case c = case_of_today("sam_vision");
  auto parameters = parameters_of(c);
  const weight_tensor other{{1}, {0}};
  for (const char* name : {"mask_decoder.iou_token.weight", "prompt_encoder.no_mask_embed.weight",
                           "shared_image_embedding.positional_embedding"})
    parameters[name] = other;
  const golden_tensor& pixels = c.at("input.pixels");
  golden_tensor last{{1, 28, 28, 3}, std::vector<double>(pixels.values.size()), false};
  for (std::size_t i = 0; i < pixels.values.size(); ++i)
    last.values[i % 784 * 3 + i / 784] = pixels.values[i];
  const golden_tensor features =
      run_model<f32>(sam_vision<tiny>, model_weights::from(parameters), {{"pixels", last}}).at("features");
  REQUIRE(features.shape == std::vector<std::size_t>{1, 7, 7, 16});
  golden_tensor first{{1, 16, 7, 7}, std::vector<double>(features.values.size()), false};
  for (std::size_t i = 0; i < features.values.size(); ++i)
    first.values[i % 16 * 49 + i / 16] = features.values[i];
  check(c, "output.last_hidden_state", std::span<const double>(first.values), first.shape);
}
