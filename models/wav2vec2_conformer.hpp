#pragma once

// wav2vec 2.0 with Conformer layers as a recogniser of speech (Baevski et al. 2020; Gulati et al. 2020; Wang et al. 2020,
// "fairseq S2T"): convolutions over the waveform, Conformer layers, and a score for each letter in each frame. Loads
// Hugging Face checkpoints of Wav2Vec2ConformerForCTC unchanged.

#include <fovea/models/conformer.hpp>
#include <fovea/models/wav2vec2.hpp>

namespace fovea::models {

struct wav2vec2_conformer_config {
  wav2vec2_config base; // whose convolutions over positions are not used
  int window = 31;      // of a layer's convolution, odd
  models::activation activation = models::activation::silu;
  bool rotary = false; // positions turn queries and keys, where scores do not compare distances
};

/// facebook/wav2vec2-conformer-rel-pos-large-960h-ft and -rope-large-960h-ft: 610 and 585 million parameters, English.
inline constexpr wav2vec2_conformer_config wav2vec2_conformer_large{.base = wav2vec2_large};
inline constexpr wav2vec2_conformer_config wav2vec2_conformer_rope_large{.base = wav2vec2_large,
                                                                         .rotary = true};

constexpr conformer_config wav2vec2_conformer_block(wav2vec2_conformer_config c) {
  return {.heads = c.base.heads,
          .width = c.base.width,
          .inner = c.base.inner,
          .window = c.window,
          .convolution_bias = false,
          .activation = c.activation,
          .rotary = c.rotary};
}

/// What the layers read: sound [B, N], 16,000 samples a second of mean 0 and variance 1 -> [B, T, width], 50 frames a
/// second.
constexpr expr wav2vec2_conformer_frames(expr sound, wav2vec2_conformer_config c,
                                         source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(sound, at);
  return linear(layer_norm(wav2vec2_frames(sound, c.base), "frame_norm"), "frame", c.base.width);
}

/// sound [B, N] -> [B, T, width].
constexpr expr wav2vec2_conformer_encoder(expr sound, wav2vec2_conformer_config c,
                                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(sound, at);
  const conformer_config block = wav2vec2_conformer_block(c);
  return layer_norm(repeat("layers", c.base.layers, wav2vec2_conformer_frames(sound, c),
                           [&](expr x) { return conformer_block(x, block); }),
                    "norm");
}

/// How Hugging Face names the parameters.
inline constexpr auto wav2vec2_conformer_names = naming::together(
    wav2vec2_frame_names,
    std::to_array<name_rule>({
        {"", "wav2vec2_conformer.", naming::optional_prefix},
        {"", "encoder.pos_conv_embed.**", naming::ignored},  // made, and never used
        {"", "encoder.embed_positions.**", naming::ignored}, // a table
        {"layers.*.norm_feed_forward1.weight", "encoder.layers.*.ffn1_layer_norm.weight"},
        {"layers.*.norm_feed_forward1.bias", "encoder.layers.*.ffn1_layer_norm.bias"},
        {"layers.*.feed_forward1.linear1.weight", "encoder.layers.*.ffn1.intermediate_dense.weight"},
        {"layers.*.feed_forward1.linear1.bias", "encoder.layers.*.ffn1.intermediate_dense.bias"},
        {"layers.*.feed_forward1.linear2.weight", "encoder.layers.*.ffn1.output_dense.weight"},
        {"layers.*.feed_forward1.linear2.bias", "encoder.layers.*.ffn1.output_dense.bias"},
        {"layers.*.norm_self_att.weight", "encoder.layers.*.self_attn_layer_norm.weight"},
        {"layers.*.norm_self_att.bias", "encoder.layers.*.self_attn_layer_norm.bias"},
        {"layers.*.self_attn.q_proj.weight", "encoder.layers.*.self_attn.linear_q.weight"},
        {"layers.*.self_attn.q_proj.bias", "encoder.layers.*.self_attn.linear_q.bias"},
        {"layers.*.self_attn.k_proj.weight", "encoder.layers.*.self_attn.linear_k.weight"},
        {"layers.*.self_attn.k_proj.bias", "encoder.layers.*.self_attn.linear_k.bias"},
        {"layers.*.self_attn.v_proj.weight", "encoder.layers.*.self_attn.linear_v.weight"},
        {"layers.*.self_attn.v_proj.bias", "encoder.layers.*.self_attn.linear_v.bias"},
        {"layers.*.self_attn.o_proj.weight", "encoder.layers.*.self_attn.linear_out.weight"},
        {"layers.*.self_attn.o_proj.bias", "encoder.layers.*.self_attn.linear_out.bias"},
        {"layers.*.self_attn.relative_k_proj.weight", "encoder.layers.*.self_attn.linear_pos.weight"},
        {"layers.*.self_attn.bias_u", "encoder.layers.*.self_attn.pos_bias_u"},
        {"layers.*.self_attn.bias_v", "encoder.layers.*.self_attn.pos_bias_v"},
        {"layers.*.norm_conv.weight", "encoder.layers.*.conv_module.layer_norm.weight"},
        {"layers.*.norm_conv.bias", "encoder.layers.*.conv_module.layer_norm.bias"},
        {"layers.*.conv.expand.weight", "encoder.layers.*.conv_module.pointwise_conv1.weight",
         naming::squeezed},
        {"layers.*.conv.depthwise_conv.weight", "encoder.layers.*.conv_module.depthwise_conv.weight"},
        {"layers.*.conv.norm.weight", "encoder.layers.*.conv_module.batch_norm.weight"},
        {"layers.*.conv.norm.bias", "encoder.layers.*.conv_module.batch_norm.bias"},
        {"layers.*.conv.norm.running_mean", "encoder.layers.*.conv_module.batch_norm.running_mean"},
        {"layers.*.conv.norm.running_var", "encoder.layers.*.conv_module.batch_norm.running_var"},
        {"", "encoder.layers.*.conv_module.batch_norm.num_batches_tracked", naming::ignored},
        {"layers.*.conv.project.weight", "encoder.layers.*.conv_module.pointwise_conv2.weight",
         naming::squeezed},
        {"layers.*.norm_feed_forward2.weight", "encoder.layers.*.ffn2_layer_norm.weight"},
        {"layers.*.norm_feed_forward2.bias", "encoder.layers.*.ffn2_layer_norm.bias"},
        {"layers.*.feed_forward2.linear1.weight", "encoder.layers.*.ffn2.intermediate_dense.weight"},
        {"layers.*.feed_forward2.linear1.bias", "encoder.layers.*.ffn2.intermediate_dense.bias"},
        {"layers.*.feed_forward2.linear2.weight", "encoder.layers.*.ffn2.output_dense.weight"},
        {"layers.*.feed_forward2.linear2.bias", "encoder.layers.*.ffn2.output_dense.bias"},
        {"layers.*.norm_out.weight", "encoder.layers.*.final_layer_norm.weight"},
        {"layers.*.norm_out.bias", "encoder.layers.*.final_layer_norm.bias"},
    }));

/// sound [B, N] -> logits [B, T, vocab], for 50 frames a second.
template <wav2vec2_conformer_config c>
inline constexpr auto wav2vec2_conformer = model(
    "wav2vec2_conformer",
    [](graph& g) {
      const expr x = wav2vec2_conformer_encoder(g.input<f32>("sound", {"B", "N"}), c);
      g.output("logits", wav2vec2_scores(x, c.base));
    },
    wav2vec2_conformer_names);

/// sound [B, N], and targets [B, S] of int32, letters with blanks (0) behind them -> the sum over the rows of the
/// negative log likelihood of their letters, in nats.
template <wav2vec2_conformer_config c>
inline constexpr auto wav2vec2_conformer_loss = model(
    "wav2vec2_conformer_loss",
    [](graph& g) {
      const expr x = wav2vec2_conformer_encoder(g.input<f32>("sound", {"B", "N"}), c);
      g.output("loss",
               ctc_loss(wav2vec2_scores(x, c.base), g.input<i32>("targets", {"B", "S"}), {.average = false}));
    },
    wav2vec2_conformer_names);

} // namespace fovea::models
