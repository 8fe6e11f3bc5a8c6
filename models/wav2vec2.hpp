#pragma once

// wav2vec 2.0 as a recogniser of speech (Baevski et al. 2020), and HuBERT, which has the same layers (Hsu et al. 2021):
// convolutions over the waveform, a Transformer encoder, and a score for each letter in each frame, which connectionist
// temporal classification reads. Loads Hugging Face checkpoints of Wav2Vec2ForCTC and HubertForCTC unchanged.

#include <fovea/models/transformer.hpp>

namespace fovea::models {

struct wav2vec2_config {
  int layers, heads, width, inner;
  int vocab = 32; // the letters, the blank first
  bool layer_norms =
      false;          // of each convolution and before each layer, not of the first one over time and after
  int features = 512; // that the convolutions give
  int convolutions = 7;
  std::array<int, 7> windows = {10, 3, 3, 3, 3, 2, 2}, strides = {5, 2, 2, 2, 2, 2, 2};
  int position_window = 128, position_groups = 16;
};

/// facebook/wav2vec2-base-960h: 94 million parameters, English.
inline constexpr wav2vec2_config wav2vec2_base{.layers = 12, .heads = 12, .width = 768, .inner = 3072};

/// facebook/wav2vec2-large-960h-lv60-self and facebook/hubert-large-ls960-ft: 315 million, English.
inline constexpr wav2vec2_config wav2vec2_large{
    .layers = 24, .heads = 16, .width = 1024, .inner = 4096, .layer_norms = true};

constexpr transformer_block_config wav2vec2_block(wav2vec2_config c) {
  return {.heads = c.heads,
          .width = c.width,
          .inner = c.inner,
          .norm_first = c.layer_norms,
          .activation = activation::gelu};
}

/// sound [B, N], 16,000 samples a second of mean 0 and variance 1, all of a batch equally long -> [B, T, features],
/// 50 frames a second (section 2, "feature encoder").
constexpr expr wav2vec2_frames(expr sound, wav2vec2_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(sound, at);
  expr x = unsqueeze(sound, 2);
  for (int i = 0; i < c.convolutions; ++i) {
    const auto at_i = static_cast<std::size_t>(i);
    const scope layer(sound, "convolutions", i);
    x = conv1d(x, "conv", c.features, c.windows[at_i], {.stride = c.strides[at_i], .bias = c.layer_norms});
    if (c.layer_norms)
      x = layer_norm(x, "norm");
    else if (i == 0)
      x = group_norm(x, "norm", c.features);
    x = gelu(x);
  }
  return x;
}

/// A convolution that keeps the length of x [B, T, width], in groups, of a weight that is known by its directions and by a
/// gain for each place of its window (Salimans and Kingma 2016). It goes through the window place by place.
constexpr expr weight_normed_convolution(expr x, const char* name, int groups, int window,
                                         source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const scope inside(x, name);
  const dim rows = x.size(0), length = x.size(1), width = x.size(2), each = width / groups;
  const expr direction = parameter(x, "direction", {width, each, window}),
             gain = parameter(x, "gain", {1, 1, window}, init::ones()),
             bias = parameter(x, "bias", {width}, init::zeros());
  const expr norm = sqrt(sum(sum(direction * direction, axis(0)), axis(0)));
  const expr by_group = reshape(direction * (gain / norm), {groups, each, each, window});
  const expr weight = permute(by_group, {3, 0, 2, 1}); // [window, groups, in, out]
  const expr padded = pad(x, axis(1), window / 2, window - 1 - window / 2);
  const expr read = permute(reshape(padded, {rows, length + (window - 1), groups, each}), {2, 0, 1, 3});
  const expr nothing = zeros(x, {groups, rows, length, each});
  const auto [total, rest] =
      scan(std::array{weight, to_float(range(x, window))}, std::array{nothing, read},
           [&](std::array<expr, 2> now, std::array<expr, 2> state) {
             const auto [so_far, ahead] = state;
             const expr here_now = slice(ahead, axis(2), 0, length);
             const expr next = slice(pad(ahead, axis(2), 0, 1), axis(2), 1, length + window);
             return scan_step{now[1], std::array{so_far + matmul(here_now, unsqueeze(now[0], 1)), next}};
           },
           {.over = 0})
          .state;
  return reshape(permute(total, {1, 2, 0, 3}), {rows, length, width}) + bias;
}

/// What the layers read: frames [B, T, features], normalised and mapped, plus what a wide convolution tells of where
/// they stand (section 2, "contextualized representations"): [B, T, width].
constexpr expr wav2vec2_embeddings(expr frames, wav2vec2_config c,
                                   source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(frames, at);
  const expr x = linear(layer_norm(frames, "frame_norm"), "frame", c.width);
  const expr placed =
      x + gelu(weight_normed_convolution(x, "positions", c.position_groups, c.position_window));
  return c.layer_norms ? placed : layer_norm(placed, "norm");
}

/// sound [B, N] -> [B, T, width].
constexpr expr wav2vec2_encoder(expr sound, wav2vec2_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(sound, at);
  const transformer_block_config block = wav2vec2_block(c);
  const expr x = repeat("layers", c.layers, wav2vec2_embeddings(wav2vec2_frames(sound, c), c),
                        [&](expr y) { return encoder_block(y, {}, block); });
  return c.layer_norms ? layer_norm(x, "norm") : x;
}

/// Scores of the letters: [B, T, width] -> [B, T, vocab].
constexpr expr wav2vec2_scores(expr x, wav2vec2_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return linear(x, "letters", c.vocab, {}, at);
}

/// How Hugging Face names what is before and behind the layers.
inline constexpr auto wav2vec2_frame_names = std::to_array<name_rule>({
    {"", "masked_spec_embed", naming::ignored}, // of training
    {"convolutions.*.conv.weight", "feature_extractor.conv_layers.*.conv.weight"},
    {"convolutions.*.conv.bias", "feature_extractor.conv_layers.*.conv.bias"},
    {"convolutions.*.norm.weight", "feature_extractor.conv_layers.*.layer_norm.weight"},
    {"convolutions.*.norm.bias", "feature_extractor.conv_layers.*.layer_norm.bias"},
    {"frame_norm.weight", "feature_projection.layer_norm.weight"},
    {"frame_norm.bias", "feature_projection.layer_norm.bias"},
    {"frame.weight", "feature_projection.projection.weight"},
    {"frame.bias", "feature_projection.projection.bias"},
    {"norm.weight", "encoder.layer_norm.weight"},
    {"norm.bias", "encoder.layer_norm.bias"},
    {"letters.weight", "lm_head.weight"},
    {"letters.bias", "lm_head.bias"},
});

/// How Hugging Face names the parameters; before 2023 it called gain and direction weight_g and weight_v.
inline constexpr auto wav2vec2_names = naming::together(
    wav2vec2_frame_names,
    std::to_array<name_rule>({
        {"", "wav2vec2.", naming::optional_prefix},
        {"", "hubert.", naming::optional_prefix},
        {"positions.gain", "encoder.pos_conv_embed.conv.parametrizations.weight.original0"},
        {"positions.direction", "encoder.pos_conv_embed.conv.parametrizations.weight.original1"},
        {"positions.gain", "encoder.pos_conv_embed.conv.weight_g"},
        {"positions.direction", "encoder.pos_conv_embed.conv.weight_v"},
        {"positions.bias", "encoder.pos_conv_embed.conv.bias"},
        {"layers.*.self_attn.q.weight", "encoder.layers.*.attention.q_proj.weight"},
        {"layers.*.self_attn.q.bias", "encoder.layers.*.attention.q_proj.bias"},
        {"layers.*.self_attn.k.weight", "encoder.layers.*.attention.k_proj.weight"},
        {"layers.*.self_attn.k.bias", "encoder.layers.*.attention.k_proj.bias"},
        {"layers.*.self_attn.v.weight", "encoder.layers.*.attention.v_proj.weight"},
        {"layers.*.self_attn.v.bias", "encoder.layers.*.attention.v_proj.bias"},
        {"layers.*.self_attn.out_proj.weight", "encoder.layers.*.attention.out_proj.weight"},
        {"layers.*.self_attn.out_proj.bias", "encoder.layers.*.attention.out_proj.bias"},
        {"layers.*.norm1.weight", "encoder.layers.*.layer_norm.weight"},
        {"layers.*.norm1.bias", "encoder.layers.*.layer_norm.bias"},
        {"layers.*.linear1.weight", "encoder.layers.*.feed_forward.intermediate_dense.weight"},
        {"layers.*.linear1.bias", "encoder.layers.*.feed_forward.intermediate_dense.bias"},
        {"layers.*.linear2.weight", "encoder.layers.*.feed_forward.output_dense.weight"},
        {"layers.*.linear2.bias", "encoder.layers.*.feed_forward.output_dense.bias"},
        {"layers.*.norm2.weight", "encoder.layers.*.final_layer_norm.weight"},
        {"layers.*.norm2.bias", "encoder.layers.*.final_layer_norm.bias"},
    }));

/// sound [B, N] -> logits [B, T, vocab], for 50 frames a second.
template <wav2vec2_config c>
inline constexpr auto wav2vec2 = model(
    "wav2vec2",
    [](graph& g) {
      g.output("logits", wav2vec2_scores(wav2vec2_encoder(g.input<f32>("sound", {"B", "N"}), c), c));
    },
    wav2vec2_names);

/// sound [B, N], and targets [B, S] of int32, letters with blanks (0) behind them -> the sum over the rows of the
/// negative log likelihood of their letters, in nats.
template <wav2vec2_config c>
inline constexpr auto wav2vec2_loss = model(
    "wav2vec2_loss",
    [](graph& g) {
      const expr logits = wav2vec2_scores(wav2vec2_encoder(g.input<f32>("sound", {"B", "N"}), c), c);
      g.output("loss", ctc_loss(logits, g.input<i32>("targets", {"B", "S"}), {.average = false}));
    },
    wav2vec2_names);

} // namespace fovea::models
