#pragma once

// The Vision Transformer (Dosovitskiy et al. 2021): an image's patches are read as words are. Loads Hugging
// Face checkpoints of ViTForImageClassification unchanged.

#include <fovea/models/transformer.hpp>

namespace fovea::models {

struct vit_config {
  int layers, heads, width, inner;
  int image, patch, classes; // image and patch: pixels on a side
  int channels = 3;
  double epsilon = 1e-12;
};

/// google/vit-base-patch16-224 (table 1, "Base"), whose head knows the 1,000 classes of ImageNet.
inline constexpr vit_config vit_base{
    .layers = 12, .heads = 12, .width = 768, .inner = 3072, .image = 224, .patch = 16, .classes = 1000};

/// A block is the Transformer's, with its norms first and GELU (equations 2 and 3).
constexpr transformer_block_config vit_block(vit_config c) {
  return {.heads = c.heads,
          .width = c.width,
          .inner = c.inner,
          .norm_first = true,
          .activation = activation::gelu,
          .epsilon = c.epsilon};
}

/// A learned vector that stands for the class, then a linear map of each patch, each with its position added
/// (equation 1): pixels [B, image, image, channels] -> [B, patches + 1, width].
constexpr expr vit_embeddings(expr pixels, vit_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(pixels, at);
  const int side = c.image / c.patch, patches = side * side;
  const expr map = conv2d(pixels, "patches", c.width, c.patch, {.stride = c.patch});
  const expr x = reshape(map, {pixels.size(0), patches, c.width});
  const expr whole = broadcast(parameter(pixels, "class", {1, 1, c.width}, init::normal(0.02)),
                               {pixels.size(0), 1, c.width});
  return concat(axis(1), whole, x) +
         parameter(pixels, "positions", {1, patches + 1, c.width}, init::normal(0.02));
}

/// Scores of the classes, by the first vector: [B, patches + 1, width] -> [B, classes].
constexpr expr vit_scores(expr x, vit_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr whole = reshape(slice(x, axis(1), 0, 1), {x.size(0), c.width});
  return linear(layer_norm(whole, "norm", {.epsilon = c.epsilon}), "classifier", c.classes);
}

/// How Hugging Face names the parameters, since transformers 5 and before.
inline constexpr auto vit_names = std::to_array<name_rule>({
    {"class", "vit.embeddings.cls_token"},
    {"positions", "vit.embeddings.position_embeddings"},
    {"patches.weight", "vit.embeddings.patch_embeddings.projection.weight"},
    {"patches.bias", "vit.embeddings.patch_embeddings.projection.bias"},
    {"norm.weight", "vit.layernorm.weight"},
    {"norm.bias", "vit.layernorm.bias"},
    {"layers.*.norm1.weight", "vit.layers.*.layernorm_before.weight"},
    {"layers.*.norm1.bias", "vit.layers.*.layernorm_before.bias"},
    {"layers.*.self_attn.q.weight", "vit.layers.*.attention.q_proj.weight"},
    {"layers.*.self_attn.q.bias", "vit.layers.*.attention.q_proj.bias"},
    {"layers.*.self_attn.k.weight", "vit.layers.*.attention.k_proj.weight"},
    {"layers.*.self_attn.k.bias", "vit.layers.*.attention.k_proj.bias"},
    {"layers.*.self_attn.v.weight", "vit.layers.*.attention.v_proj.weight"},
    {"layers.*.self_attn.v.bias", "vit.layers.*.attention.v_proj.bias"},
    {"layers.*.self_attn.out_proj.weight", "vit.layers.*.attention.o_proj.weight"},
    {"layers.*.self_attn.out_proj.bias", "vit.layers.*.attention.o_proj.bias"},
    {"layers.*.norm2.weight", "vit.layers.*.layernorm_after.weight"},
    {"layers.*.norm2.bias", "vit.layers.*.layernorm_after.bias"},
    {"layers.*.linear1.weight", "vit.layers.*.mlp.fc1.weight"},
    {"layers.*.linear1.bias", "vit.layers.*.mlp.fc1.bias"},
    {"layers.*.linear2.weight", "vit.layers.*.mlp.fc2.weight"},
    {"layers.*.linear2.bias", "vit.layers.*.mlp.fc2.bias"},
    {"layers.*.norm1.weight", "vit.encoder.layer.*.layernorm_before.weight"},
    {"layers.*.norm1.bias", "vit.encoder.layer.*.layernorm_before.bias"},
    {"layers.*.self_attn.q.weight", "vit.encoder.layer.*.attention.attention.query.weight"},
    {"layers.*.self_attn.q.bias", "vit.encoder.layer.*.attention.attention.query.bias"},
    {"layers.*.self_attn.k.weight", "vit.encoder.layer.*.attention.attention.key.weight"},
    {"layers.*.self_attn.k.bias", "vit.encoder.layer.*.attention.attention.key.bias"},
    {"layers.*.self_attn.v.weight", "vit.encoder.layer.*.attention.attention.value.weight"},
    {"layers.*.self_attn.v.bias", "vit.encoder.layer.*.attention.attention.value.bias"},
    {"layers.*.self_attn.out_proj.weight", "vit.encoder.layer.*.attention.output.dense.weight"},
    {"layers.*.self_attn.out_proj.bias", "vit.encoder.layer.*.attention.output.dense.bias"},
    {"layers.*.norm2.weight", "vit.encoder.layer.*.layernorm_after.weight"},
    {"layers.*.norm2.bias", "vit.encoder.layer.*.layernorm_after.bias"},
    {"layers.*.linear1.weight", "vit.encoder.layer.*.intermediate.dense.weight"},
    {"layers.*.linear1.bias", "vit.encoder.layer.*.intermediate.dense.bias"},
    {"layers.*.linear2.weight", "vit.encoder.layer.*.output.dense.weight"},
    {"layers.*.linear2.bias", "vit.encoder.layer.*.output.dense.bias"},
});

/// pixels [B, image, image, channels] -> [B, classes].
constexpr expr vit_logits(expr pixels, vit_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(pixels, at);
  const expr x = repeat("layers", c.layers, vit_embeddings(pixels, c),
                        [c](expr y) { return encoder_block(y, {}, vit_block(c)); });
  return vit_scores(x, c);
}

/// pixels [B, image, image, channels] -> logits [B, classes].
template <vit_config c>
inline constexpr auto vit = model(
    "vit",
    [](graph& g) {
      g.output("logits", vit_logits(g.input<f32>("pixels", {"B", c.image, c.image, c.channels}), c));
    },
    vit_names);

/// The same and targets [B] of int32 -> the mean negative log likelihood of an image's class, in nats.
template <vit_config c>
inline constexpr auto vit_loss = model(
    "vit_loss",
    [](graph& g) {
      const expr logits = vit_logits(g.input<f32>("pixels", {"B", c.image, c.image, c.channels}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B"})));
    },
    vit_names);

} // namespace fovea::models
