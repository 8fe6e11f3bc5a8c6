#pragma once

// DINOv2: a Vision Transformer that has learned without labels, with a learned factor on each branch of a block
// (Oquab et al. 2024; Touvron et al. 2021, section 2). Loads Hugging Face checkpoints of Dinov2Model unchanged, for
// pictures of the size that they were trained for.

#include <fovea/models/vit.hpp>

namespace fovea::models {

/// facebook/dinov2-small: 22 million parameters.
inline constexpr vit_config dinov2_small{.layers = 12,
                                         .heads = 6,
                                         .width = 384,
                                         .inner = 1536,
                                         .image = 518,
                                         .patch = 14,
                                         .classes = 0,
                                         .epsilon = 1e-6};

/// One block: attention, then a feed-forward layer, each normalised before, times a factor for each feature, and added
/// to its input. x [B, patches + 1, width] keeps its shape.
constexpr expr dinov2_block(expr x, vit_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto scaled = [&](expr y, const char* name) {
    return y * parameter(y, name, {c.width}, init::ones());
  };
  const expr h = layer_norm(x, "norm1", {.epsilon = c.epsilon});
  {
    const scope inside(x, "self_attn");
    x = x + scaled(multi_head_attention(h, h, {.heads = c.heads, .width = c.width}), "factor");
  }
  return x + scaled(feed_forward(layer_norm(x, "norm2", {.epsilon = c.epsilon}), vit_block(c)), "factor");
}

/// The blocks and the last norm: pixels [B, image, image, channels] -> [B, patches + 1, width], the whole picture's
/// vector first.
constexpr expr dinov2_encoder(expr pixels, vit_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(pixels, at);
  const expr x =
      repeat("layers", c.layers, vit_embeddings(pixels, c), [c](expr y) { return dinov2_block(y, c); });
  return layer_norm(x, "norm", {.epsilon = c.epsilon});
}

/// How Hugging Face names the parameters, since transformers 5 and before.
inline constexpr auto dinov2_names = std::to_array<name_rule>({
    {"", "dinov2.", naming::optional_prefix},
    {"class", "embeddings.cls_token"},
    {"", "embeddings.mask_token", naming::ignored}, // of training
    {"positions", "embeddings.position_embeddings"},
    {"patches.weight", "embeddings.patch_embeddings.projection.weight"},
    {"patches.bias", "embeddings.patch_embeddings.projection.bias"},
    {"norm.weight", "layernorm.weight"},
    {"norm.bias", "layernorm.bias"},
    {"layers.*.norm1.weight", "encoder.layer.*.norm1.weight"},
    {"layers.*.norm1.bias", "encoder.layer.*.norm1.bias"},
    {"layers.*.self_attn.q.weight", "encoder.layer.*.attention.q_proj.weight"},
    {"layers.*.self_attn.q.bias", "encoder.layer.*.attention.q_proj.bias"},
    {"layers.*.self_attn.k.weight", "encoder.layer.*.attention.k_proj.weight"},
    {"layers.*.self_attn.k.bias", "encoder.layer.*.attention.k_proj.bias"},
    {"layers.*.self_attn.v.weight", "encoder.layer.*.attention.v_proj.weight"},
    {"layers.*.self_attn.v.bias", "encoder.layer.*.attention.v_proj.bias"},
    {"layers.*.self_attn.out_proj.weight", "encoder.layer.*.attention.o_proj.weight"},
    {"layers.*.self_attn.out_proj.bias", "encoder.layer.*.attention.o_proj.bias"},
    {"layers.*.self_attn.q.weight", "encoder.layer.*.attention.attention.query.weight"},
    {"layers.*.self_attn.q.bias", "encoder.layer.*.attention.attention.query.bias"},
    {"layers.*.self_attn.k.weight", "encoder.layer.*.attention.attention.key.weight"},
    {"layers.*.self_attn.k.bias", "encoder.layer.*.attention.attention.key.bias"},
    {"layers.*.self_attn.v.weight", "encoder.layer.*.attention.attention.value.weight"},
    {"layers.*.self_attn.v.bias", "encoder.layer.*.attention.attention.value.bias"},
    {"layers.*.self_attn.out_proj.weight", "encoder.layer.*.attention.output.dense.weight"},
    {"layers.*.self_attn.out_proj.bias", "encoder.layer.*.attention.output.dense.bias"},
    {"layers.*.self_attn.factor", "encoder.layer.*.layer_scale1.lambda1"},
    {"layers.*.norm2.weight", "encoder.layer.*.norm2.weight"},
    {"layers.*.norm2.bias", "encoder.layer.*.norm2.bias"},
    {"layers.*.linear1.weight", "encoder.layer.*.mlp.fc1.weight"},
    {"layers.*.linear1.bias", "encoder.layer.*.mlp.fc1.bias"},
    {"layers.*.linear2.weight", "encoder.layer.*.mlp.fc2.weight"},
    {"layers.*.linear2.bias", "encoder.layer.*.mlp.fc2.bias"},
    {"layers.*.factor", "encoder.layer.*.layer_scale2.lambda1"},
});

/// pixels [B, image, image, channels] -> hidden [B, patches + 1, width] and pooled [B, width], the whole picture's.
template <vit_config c>
inline constexpr auto dinov2 = model(
    "dinov2",
    [](graph& g) {
      const expr x = dinov2_encoder(g.input<f32>("pixels", {"B", c.image, c.image, c.channels}), c);
      g.output("hidden", x);
      g.output("pooled", reshape(slice(x, axis(1), 0, 1), {x.size(0), c.width}));
    },
    dinov2_names);

} // namespace fovea::models
