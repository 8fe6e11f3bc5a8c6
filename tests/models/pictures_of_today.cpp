// DINOv2 and CLIP.

#include <fovea/models/clip.hpp>
#include <fovea/models/dinov2.hpp>

#include "../tiny_clip.hpp"
#include "decoder_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace fovea::models;

namespace {

constexpr vit_config tiny_dinov2{.layers = 2,
                                 .heads = 4,
                                 .width = 32,
                                 .inner = 64,
                                 .image = 16,
                                 .patch = 4,
                                 .classes = 0,
                                 .epsilon = 1e-6};

// As transformers counts the published models; DINOv2's without the vector of training's masks.
static_assert(dinov2<dinov2_small>.parameters() == 22'056'576 - 384);
static_assert(clip<clip_base>.parameters() == 151'277'313);
static_assert(clip<clip_base_16>.parameters() == 149'620'737);
static_assert(clip<clip_large>.parameters() == 427'616'513);

/// The pixels of a case as they lie there.
constexpr expr pixels_of(graph& g) { return permute(g.input<f32>("pixels", {"B", 3, 16, 16}), {0, 2, 3, 1}); }

constexpr auto shown_dinov2 = model(
    "shown_dinov2",
    [](graph& g) {
      expr x = vit_embeddings(pixels_of(g), tiny_dinov2);
      for (int i = 0; i < tiny_dinov2.layers; ++i) {
        g.output(hidden_state_names[i], x);
        const scope layer(x, "layers", i);
        x = dinov2_block(x, tiny_dinov2);
      }
      g.output(hidden_state_names[tiny_dinov2.layers], x);
      x = layer_norm(x, "norm", {.epsilon = tiny_dinov2.epsilon});
      g.output("last_hidden_state", x);
      g.output("pooler_output", reshape(slice(x, axis(1), 0, 1), {x.size(0), tiny_dinov2.width}));
    },
    dinov2_names);

constexpr auto learned_dinov2 = model(
    "learned_dinov2",
    [](graph& g) {
      const expr x = dinov2_encoder(pixels_of(g), tiny_dinov2);
      g.output("last_hidden_state", x);
      g.output("pooler_output", reshape(slice(x, axis(1), 0, 1), {x.size(0), tiny_dinov2.width}));
    },
    dinov2_names);

constexpr auto learned_clip = model(
    "learned_clip",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"N", "T"}), lengths = g.input<i32>("lengths", {"N"}),
                 pixels = pixels_of(g);
      const expr of_text = clip_text_tower(tokens, tiny_clip, causal & padding(lengths)),
                 of_picture = clip_picture_tower(pixels, tiny_clip);
      const expr text = clip_text_vector(of_text, tokens, tiny_clip),
                 picture = clip_picture_vector(of_picture, tiny_clip);
      g.output("text_last_hidden_state", of_text);
      g.output("vision_last_hidden_state", of_picture);
      g.output("text_embeds", text);
      g.output("image_embeds", picture);
      g.output("logits_per_text", clip_scores(text, picture));
    },
    clip_names);

} // namespace

TEST_CASE("DINOv2 agrees with transformers' Dinov2Model", "[dinov2]") {
  const golden_case c = case_of_today("dinov2");
  check_outputs(shown_dinov2, c, weights_of(c), inputs_of(c));
  check_gradients(learned_dinov2, c, weights_of(c), inputs_of(c));
}

TEST_CASE("CLIP agrees with transformers' CLIPModel", "[clip]") {
  const golden_case c = case_of_today("clip");
  named_values inputs = inputs_of(c, {{"tokens", "ids"}});
  inputs["lengths"] = lengths_of_mask(c);
  check_outputs(learned_clip, c, weights_of(c), inputs);
  check_gradients(learned_clip, c, weights_of(c), inputs);
}

TEST_CASE("CLIP's towers stand alone", "[clip]") {
  const golden_case c = case_of_today("clip");
  const auto vectors = [&](const auto& declared, const char* ours, const char* theirs,
                           const named_values& inputs) {
    const named_values found = run_model<f32>(declared, weights_of(c), inputs);
    const golden_tensor& values = found.at(ours);
    check(c, theirs, std::span<const double>(values.values), values.shape);
  };
  vectors(clip_text<tiny_clip>, "text", "output.text_embeds", inputs_of(c, {{"tokens", "ids"}}));
  named_values pictures;
  const golden_tensor& from = c.at("input.pixels");
  golden_tensor& pixels =
      pictures["pixels"] = {{2, 16, 16, 3}, std::vector<double>(from.values.size()), false};
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t channel = 0; channel < 3; ++channel)
      for (std::size_t place = 0; place < 256; ++place)
        pixels.values[(b * 256 + place) * 3 + channel] = from.values[(b * 3 + channel) * 256 + place];
  vectors(clip_picture<tiny_clip>, "picture", "output.image_embeds", pictures);
}
