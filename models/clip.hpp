#pragma once

// CLIP: pictures and texts as vectors that are near each other where they tell of the same (Radford et al. 2021,
// section 2). Loads Hugging Face checkpoints of CLIPModel unchanged.

#include <fovea/models/transformer.hpp>

namespace fovea::models {

struct clip_config {
  int layers; // of the text's tower
  transformer_block_config text;
  int vocab, context;
  int end = 0; // the token after the last of a text; of SigLIP unused
  int picture_layers;
  transformer_block_config picture;
  int image, patch; // pixels on a side
  int joint;        // the width of the vectors that are compared
};

/// openai/clip-vit-base-patch32: 151 million parameters.
inline constexpr clip_config clip_base{
    .layers = 12,
    .text =
        {.heads = 8, .width = 512, .inner = 2048, .norm_first = true, .activation = activation::quick_gelu},
    .vocab = 49408,
    .context = 77,
    .end = 49407,
    .picture_layers = 12,
    .picture =
        {.heads = 12, .width = 768, .inner = 3072, .norm_first = true, .activation = activation::quick_gelu},
    .image = 224,
    .patch = 32,
    .joint = 512};

/// openai/clip-vit-base-patch16: 150 million parameters, of smaller patches.
inline constexpr clip_config clip_base_16 = [] {
  clip_config c = clip_base;
  c.patch = 16;
  return c;
}();

/// openai/clip-vit-large-patch14: 428 million parameters.
inline constexpr clip_config clip_large = [] {
  clip_config c = clip_base;
  c.text.heads = 12, c.text.width = 768, c.text.inner = 3072;
  c.picture_layers = 24, c.picture.heads = 16, c.picture.width = 1024, c.picture.inner = 4096;
  c.patch = 14, c.joint = 768;
  return c;
}();

/// x / |x| over the last axis.
constexpr expr of_length_one(expr x) { return x / sqrt(sum(x * x, axis(-1), {.keep = true})); }

/// The blocks of the text's tower: tokens [N, T] of int32 -> [N, T, width]. A token sees itself and those before it.
constexpr expr clip_text_tower(expr tokens, clip_config c, fovea::attention_mask mask = causal,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const scope inside(tokens, "text");
  const int width = c.text.width;
  const expr x = embedding(tokens, "words", c.vocab, width) +
                 learned_positions(tokens, "positions", {.context = c.context, .width = width});
  return stacked(x, c.layers, true, c.text, [&](expr y) { return encoder_block(y, mask, c.text); });
}

/// The vector of a text, of length 1, by what the tower x [N, T, width] gives at its first end: [N, joint].
constexpr expr clip_text_vector(expr x, expr tokens, clip_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr end = argmax(where(tokens == c.end, 1.0, 0.0), axis(1));
  const expr is_end = to_float(range(tokens, tokens.size(1)) == unsqueeze(end, 1));
  const expr pooled = sum(x * unsqueeze(is_end, 2), axis(1));
  return of_length_one(linear(pooled, "text.projection", c.joint, {.bias = false}));
}

/// The blocks of the picture's tower: pixels [B, image, image, 3] -> [B, patches + 1, width], the whole picture's vector
/// first.
constexpr expr clip_picture_tower(expr pixels, clip_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(pixels, at);
  const scope inside(pixels, "picture");
  const int side = c.image / c.patch, patches = side * side, width = c.picture.width;
  const expr map = conv2d(pixels, "patches", width, c.patch, {.stride = c.patch, .bias = false});
  const expr whole =
      broadcast(parameter(pixels, "class", {width}, init::normal(0.02)), {pixels.size(0), 1, width});
  const expr x = concat(axis(1), whole, reshape(map, {pixels.size(0), patches, width})) +
                 parameter(pixels, "positions", {patches + 1, width}, init::normal(0.02));
  return stacked(layer_norm(x, "first_norm", {.epsilon = c.picture.epsilon}), c.picture_layers, false,
                 c.picture, [&](expr y) { return encoder_block(y, {}, c.picture); });
}

/// The vector of a picture, of length 1, by what the tower x [B, patches + 1, width] gives: [B, joint].
constexpr expr clip_picture_vector(expr x, clip_config c,
                                   source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const scope inside(x, "picture");
  const expr whole = reshape(slice(x, axis(1), 0, 1), {x.size(0), c.picture.width});
  return of_length_one(linear(layer_norm(whole, "norm", {.epsilon = c.picture.epsilon}), "projection",
                              c.joint, {.bias = false}));
}

/// How near texts [N, joint] and pictures [B, joint] are, times the learned temperature: [N, B].
constexpr expr clip_scores(expr texts, expr pictures) {
  return exp(parameter(texts, "temperature", {}, init::constant(2.6592))) *
         matmul(texts, transpose(pictures));
}

/// How Hugging Face names the parameters of both towers' blocks, and of what CLIP's successors have as well.
inline constexpr auto clip_tower_names = std::to_array<name_rule>({
    {"text.words.weight", "text_model.embeddings.token_embedding.weight"},
    {"text.positions.weight", "text_model.embeddings.position_embedding.weight"},
    {"text.layers.*.norm1.weight", "text_model.encoder.layers.*.layer_norm1.weight"},
    {"text.layers.*.norm1.bias", "text_model.encoder.layers.*.layer_norm1.bias"},
    {"text.layers.*.self_attn.q.weight", "text_model.encoder.layers.*.self_attn.q_proj.weight"},
    {"text.layers.*.self_attn.q.bias", "text_model.encoder.layers.*.self_attn.q_proj.bias"},
    {"text.layers.*.self_attn.k.weight", "text_model.encoder.layers.*.self_attn.k_proj.weight"},
    {"text.layers.*.self_attn.k.bias", "text_model.encoder.layers.*.self_attn.k_proj.bias"},
    {"text.layers.*.self_attn.v.weight", "text_model.encoder.layers.*.self_attn.v_proj.weight"},
    {"text.layers.*.self_attn.v.bias", "text_model.encoder.layers.*.self_attn.v_proj.bias"},
    {"text.layers.*.self_attn.out_proj.weight", "text_model.encoder.layers.*.self_attn.out_proj.weight"},
    {"text.layers.*.self_attn.out_proj.bias", "text_model.encoder.layers.*.self_attn.out_proj.bias"},
    {"text.layers.*.norm2.weight", "text_model.encoder.layers.*.layer_norm2.weight"},
    {"text.layers.*.norm2.bias", "text_model.encoder.layers.*.layer_norm2.bias"},
    {"text.layers.*.linear1.weight", "text_model.encoder.layers.*.mlp.fc1.weight"},
    {"text.layers.*.linear1.bias", "text_model.encoder.layers.*.mlp.fc1.bias"},
    {"text.layers.*.linear2.weight", "text_model.encoder.layers.*.mlp.fc2.weight"},
    {"text.layers.*.linear2.bias", "text_model.encoder.layers.*.mlp.fc2.bias"},
    {"text.norm.weight", "text_model.final_layer_norm.weight"},
    {"text.norm.bias", "text_model.final_layer_norm.bias"},
    {"picture.positions", "vision_model.embeddings.position_embedding.weight"},
    {"picture.patches.weight", "vision_model.embeddings.patch_embedding.weight"},
    {"picture.layers.*.norm1.weight", "vision_model.encoder.layers.*.layer_norm1.weight"},
    {"picture.layers.*.norm1.bias", "vision_model.encoder.layers.*.layer_norm1.bias"},
    {"picture.layers.*.self_attn.q.weight", "vision_model.encoder.layers.*.self_attn.q_proj.weight"},
    {"picture.layers.*.self_attn.q.bias", "vision_model.encoder.layers.*.self_attn.q_proj.bias"},
    {"picture.layers.*.self_attn.k.weight", "vision_model.encoder.layers.*.self_attn.k_proj.weight"},
    {"picture.layers.*.self_attn.k.bias", "vision_model.encoder.layers.*.self_attn.k_proj.bias"},
    {"picture.layers.*.self_attn.v.weight", "vision_model.encoder.layers.*.self_attn.v_proj.weight"},
    {"picture.layers.*.self_attn.v.bias", "vision_model.encoder.layers.*.self_attn.v_proj.bias"},
    {"picture.layers.*.self_attn.out_proj.weight", "vision_model.encoder.layers.*.self_attn.out_proj.weight"},
    {"picture.layers.*.self_attn.out_proj.bias", "vision_model.encoder.layers.*.self_attn.out_proj.bias"},
    {"picture.layers.*.norm2.weight", "vision_model.encoder.layers.*.layer_norm2.weight"},
    {"picture.layers.*.norm2.bias", "vision_model.encoder.layers.*.layer_norm2.bias"},
    {"picture.layers.*.linear1.weight", "vision_model.encoder.layers.*.mlp.fc1.weight"},
    {"picture.layers.*.linear1.bias", "vision_model.encoder.layers.*.mlp.fc1.bias"},
    {"picture.layers.*.linear2.weight", "vision_model.encoder.layers.*.mlp.fc2.weight"},
    {"picture.layers.*.linear2.bias", "vision_model.encoder.layers.*.mlp.fc2.bias"},
    {"picture.norm.weight", "vision_model.post_layernorm.weight"},
    {"picture.norm.bias", "vision_model.post_layernorm.bias"},
    {"", "text_model.embeddings.position_ids", naming::ignored},
    {"", "vision_model.embeddings.position_ids", naming::ignored},
});

/// The same, with what stands before the blocks and behind them.
inline constexpr auto clip_names = naming::together(
    clip_tower_names, std::to_array<name_rule>({
                          {"temperature", "logit_scale"},
                          {"text.projection.weight", "text_projection.weight"},
                          {"picture.class", "vision_model.embeddings.class_embedding"},
                          {"picture.first_norm.weight", "vision_model.pre_layrnorm.weight"}, // so spelt
                          {"picture.first_norm.bias", "vision_model.pre_layrnorm.bias"},
                          {"picture.projection.weight", "visual_projection.weight"},

                          {"", "logit_scale", naming::ignored}, // where a model is one tower alone
                          {"", "text_model.**", naming::ignored},
                          {"", "text_projection.**", naming::ignored},
                          {"", "vision_model.**", naming::ignored},
                          {"", "visual_projection.**", naming::ignored},
                      }));

/// tokens [B, T] of int32 -> text [B, joint], of length 1.
template <clip_config c>
inline constexpr auto clip_text = model(
    "clip_text",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"});
      g.output("text", clip_text_vector(clip_text_tower(tokens, c), tokens, c));
    },
    clip_names);

/// pixels [B, image, image, 3] -> picture [B, joint], of length 1.
template <clip_config c>
inline constexpr auto clip_picture = model(
    "clip_picture",
    [](graph& g) {
      const expr pixels = g.input<f32>("pixels", {"B", c.image, c.image, 3});
      g.output("picture", clip_picture_vector(clip_picture_tower(pixels, c), c));
    },
    clip_names);

/// tokens [N, T] of int32 and pixels [B, image, image, 3] -> text [N, joint], picture [B, joint] and scores [N, B].
template <clip_config c>
inline constexpr auto clip = model(
    "clip",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"N", "T"}),
                 pixels = g.input<f32>("pixels", {"B", c.image, c.image, 3});
      const expr text = clip_text_vector(clip_text_tower(tokens, c), tokens, c),
                 picture = clip_picture_vector(clip_picture_tower(pixels, c), c);
      g.output("text", text);
      g.output("picture", picture);
      g.output("scores", clip_scores(text, picture));
    },
    clip_names);

} // namespace fovea::models
