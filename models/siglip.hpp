#pragma once

// SigLIP: CLIP's towers, each pair of a picture and a text judged by itself (Zhai et al. 2023). A text is seen whole,
// and a learned query gathers a picture's vector from its patches (Zhai et al. 2022). Loads Hugging Face
// checkpoints of SiglipModel unchanged, those of SigLIP 2 of a fixed size among them (Tschannen et al. 2025).

#include <fovea/models/clip.hpp>

namespace fovea::models {

/// google/siglip-base-patch16-224: 203 million parameters.
inline constexpr clip_config siglip_base{.layers = 12,
                                         .text = {.heads = 12,
                                                  .width = 768,
                                                  .inner = 3072,
                                                  .norm_first = true,
                                                  .activation = activation::gelu_tanh,
                                                  .epsilon = 1e-6},
                                         .vocab = 32000,
                                         .context = 64,
                                         .picture_layers = 12,
                                         .picture = {.heads = 12,
                                                     .width = 768,
                                                     .inner = 3072,
                                                     .norm_first = true,
                                                     .activation = activation::gelu_tanh,
                                                     .epsilon = 1e-6},
                                         .image = 224,
                                         .patch = 16,
                                         .joint = 768};

/// google/siglip2-base-patch16-224: 375 million parameters, texts of many languages.
inline constexpr clip_config siglip2_base = [] {
  clip_config c = siglip_base;
  c.vocab = 256000;
  return c;
}();

/// The vector of a text, of length 1, by what the text's tower x [N, T, width] gives at the last position: [N, joint].
constexpr expr siglip_text_vector(expr x, clip_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  return of_length_one(linear(last(x, axis(1)), "text.projection", c.joint));
}

/// The blocks of the picture's tower and the last norm: pixels [B, image, image, 3] -> [B, patches, width].
constexpr expr siglip_picture_tower(expr pixels, clip_config c,
                                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(pixels, at);
  const scope inside(pixels, "picture");
  const int side = c.image / c.patch, patches = side * side, width = c.picture.width;
  const expr map = conv2d(pixels, "patches", width, c.patch, {.stride = c.patch});
  const expr x = reshape(map, {pixels.size(0), patches, width}) +
                 parameter(pixels, "positions", {patches, width}, init::normal(0.02));
  return stacked(x, c.picture_layers, true, c.picture,
                 [&](expr y) { return encoder_block(y, {}, c.picture); });
}

/// The vector of a picture, of length 1, which a learned query gathers from x [B, patches, joint]: [B, joint].
constexpr expr siglip_picture_vector(expr x, clip_config c,
                                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const scope inside(x, "picture.pool");
  const int width = c.picture.width;
  const expr query =
      broadcast(parameter(x, "query", {1, 1, width}, init::normal(0.02)), {x.size(0), 1, width});
  const expr gathered = multi_head_attention(query, x, {.heads = c.picture.heads, .width = width});
  const expr y =
      gathered + feed_forward(layer_norm(gathered, "norm", {.epsilon = c.picture.epsilon}), c.picture);
  return of_length_one(reshape(y, {x.size(0), width}));
}

/// How likely it is that text and picture belong together, before the sigmoid: texts [N, joint] and pictures [B, joint]
/// -> [N, B].
constexpr expr siglip_scores(expr texts, expr pictures) {
  return exp(parameter(texts, "temperature", {1}, init::constant(2.3026))) *
             matmul(texts, transpose(pictures)) +
         parameter(texts, "score_bias", {1}, init::constant(-10));
}

/// How Hugging Face names the parameters.
template <clip_config c>
inline constexpr auto siglip_names = naming::together(
    clip_tower_names,
    std::to_array<name_rule>({
        {"temperature", "logit_scale"},
        {"score_bias", "logit_bias"},
        {"text.projection.weight", "text_model.head.weight"},
        {"text.projection.bias", "text_model.head.bias"},
        {"picture.patches.bias", "vision_model.embeddings.patch_embedding.bias"},
        {"picture.pool.query", "vision_model.head.probe"},
        {"picture.pool.q.weight", "vision_model.head.attention.in_proj_weight",
         naming::rows(0, c.picture.width)},
        {"picture.pool.k.weight", "vision_model.head.attention.in_proj_weight",
         naming::rows(c.picture.width, 2 * c.picture.width)},
        {"picture.pool.v.weight", "vision_model.head.attention.in_proj_weight",
         naming::rows(2 * c.picture.width, 3 * c.picture.width)},
        {"picture.pool.q.bias", "vision_model.head.attention.in_proj_bias", naming::rows(0, c.picture.width)},
        {"picture.pool.k.bias", "vision_model.head.attention.in_proj_bias",
         naming::rows(c.picture.width, 2 * c.picture.width)},
        {"picture.pool.v.bias", "vision_model.head.attention.in_proj_bias",
         naming::rows(2 * c.picture.width, 3 * c.picture.width)},
        {"picture.pool.out_proj.weight", "vision_model.head.attention.out_proj.weight"},
        {"picture.pool.out_proj.bias", "vision_model.head.attention.out_proj.bias"},
        {"picture.pool.norm.weight", "vision_model.head.layernorm.weight"},
        {"picture.pool.norm.bias", "vision_model.head.layernorm.bias"},
        {"picture.pool.linear1.weight", "vision_model.head.mlp.fc1.weight"},
        {"picture.pool.linear1.bias", "vision_model.head.mlp.fc1.bias"},
        {"picture.pool.linear2.weight", "vision_model.head.mlp.fc2.weight"},
        {"picture.pool.linear2.bias", "vision_model.head.mlp.fc2.bias"},

        {"", "logit_scale", naming::ignored}, // where a model is one tower alone
        {"", "logit_bias", naming::ignored},
        {"", "text_model.**", naming::ignored},
        {"", "vision_model.**", naming::ignored},
    }));

/// tokens [B, T] of int32, filled up to the context, -> text [B, joint], of length 1.
template <clip_config c>
inline constexpr auto siglip_text = model(
    "siglip_text",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"});
      g.output("text", siglip_text_vector(clip_text_tower(tokens, c, {}), c));
    },
    siglip_names<c>);

/// pixels [B, image, image, 3] -> picture [B, joint], of length 1.
template <clip_config c>
inline constexpr auto siglip_picture = model(
    "siglip_picture",
    [](graph& g) {
      const expr pixels = g.input<f32>("pixels", {"B", c.image, c.image, 3});
      g.output("picture", siglip_picture_vector(siglip_picture_tower(pixels, c), c));
    },
    siglip_names<c>);

/// tokens [N, T] of int32, filled up to the context, and pixels [B, image, image, 3] -> text [N, joint], picture
/// [B, joint] and scores [N, B], of which a sigmoid makes probabilities.
template <clip_config c>
inline constexpr auto siglip = model(
    "siglip",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"N", "T"}),
                 pixels = g.input<f32>("pixels", {"B", c.image, c.image, 3});
      const expr text = siglip_text_vector(clip_text_tower(tokens, c, {}), c),
                 picture = siglip_picture_vector(siglip_picture_tower(pixels, c), c);
      g.output("text", text);
      g.output("picture", picture);
      g.output("scores", siglip_scores(text, picture));
    },
    siglip_names<c>);

/// Pairs of tokens [B, T] of int32 and pixels [B, image, image, 3] -> the mean of a text's sum of negative log
/// likelihoods over all pictures, in nats (Zhai et al. 2023, algorithm 1).
template <clip_config c>
inline constexpr auto siglip_loss = model(
    "siglip_loss",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}),
                 pixels = g.input<f32>("pixels", {"B", c.image, c.image, 3});
      const expr scores = siglip_scores(siglip_text_vector(clip_text_tower(tokens, c, {}), c),
                                        siglip_picture_vector(siglip_picture_tower(pixels, c), c));
      const expr pair = range(tokens, tokens.size(0));
      const expr together = to_float(unsqueeze(pair, 1) == pair);
      g.output("loss", mean(sum(binary_cross_entropy(scores, together, {.each = true}), axis(1)), axis(0)));
    },
    siglip_names<c>);

} // namespace fovea::models
