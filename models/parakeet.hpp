#pragma once

// Parakeet: speech as words by a fast Conformer, whose layers attend to all frames and convolve near ones (Gulati et al.
// 2020; Rekesh et al. 2023), and by connectionist temporal classification. Loads Hugging Face checkpoints of
// ParakeetForCTC unchanged.

#include <fovea/models/conformer.hpp>

#include <array>

namespace fovea::models {

struct parakeet_config {
  int layers, heads, width, inner;
  int vocab = 1025;
  int blank = 1024; // the class of a frame without a token
  int mels = 80;
  int halvings = 3;   // of the frames, before the layers
  int channels = 256; // of the convolutions that halve
  int window = 9;     // of a layer's convolution, odd
  bool bias = true;   // of a layer's maps and convolutions
  bool scaled = true; // what the layers read times sqrt(width)
};

/// nvidia/parakeet-ctc-0.6b, 609 million parameters, and -1.1b, 1,063: English.
inline constexpr parakeet_config parakeet_600m{.layers = 24, .heads = 8, .width = 1024, .inner = 4096};
inline constexpr parakeet_config parakeet_1b{.layers = 42, .heads = 8, .width = 1024, .inner = 4096};

/// Log-mel features [B, F, mels], 100 frames a second, each of mean 0 and variance 1 over its row, all rows equally
/// long -> [B, T, width]: convolutions that halve frames and mels, then a map (Rekesh et al. 2023, section 2).
constexpr expr parakeet_frames(expr features, parakeet_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(features, at);
  const scope inside(features, "subsampling");
  const auto convolved = [&](expr y, int number, int window, int stride, int groups) {
    const scope layer(y, "layers", number);
    return conv2d(y, "conv", c.channels, window, {.stride = stride, .padding = window / 2, .groups = groups});
  };
  expr x = relu(convolved(unsqueeze(features, 3), 0, 3, 2, 1));
  for (int i = 1; i < c.halvings; ++i)
    x = relu(convolved(convolved(x, 3 * i - 1, 3, 2, c.channels), 3 * i, 1, 1, 1));
  const expr flat = reshape(permute(x, {0, 1, 3, 2}), {x.size(0), x.size(1), x.size(2) * x.size(3)});
  const expr y = linear(flat, "linear", c.width);
  return c.scaled ? y * sqrt(constant(y, c.width)) : y;
}

constexpr conformer_config parakeet_block(parakeet_config c) {
  return {.heads = c.heads,
          .width = c.width,
          .inner = c.inner,
          .window = c.window,
          .bias = c.bias,
          .convolution_bias = c.bias};
}

/// features [B, F, mels] -> [B, T, width].
constexpr expr parakeet_encoder(expr features, parakeet_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(features, at);
  return repeat("layers", c.layers, parakeet_frames(features, c),
                [block = parakeet_block(c)](expr x) { return conformer_block(x, block); });
}

/// Scores of the tokens: [B, T, width] -> [B, T, vocab].
constexpr expr parakeet_scores(expr x, parakeet_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return linear(x, "scores", c.vocab, {}, at);
}

/// How Hugging Face names the parameters.
inline constexpr auto parakeet_names = std::to_array<name_rule>({
    {"", "encoder.", naming::optional_prefix},
    {"subsampling.layers.*.conv.weight", "subsampling.layers.*.weight"},
    {"subsampling.layers.*.conv.bias", "subsampling.layers.*.bias"},
    {"layers.*.conv.expand.weight", "layers.*.conv.pointwise_conv1.weight", naming::squeezed},
    {"layers.*.conv.expand.bias", "layers.*.conv.pointwise_conv1.bias"},
    {"layers.*.conv.project.weight", "layers.*.conv.pointwise_conv2.weight", naming::squeezed},
    {"layers.*.conv.project.bias", "layers.*.conv.pointwise_conv2.bias"},
    {"", "layers.*.conv.norm.num_batches_tracked", naming::ignored},
    {"scores.weight", "ctc_head.weight", naming::squeezed},
    {"scores.bias", "ctc_head.bias"},
});

/// features [B, F, mels] -> logits [B, T, vocab], for 12.5 frames a second.
template <parakeet_config c>
inline constexpr auto parakeet = model(
    "parakeet",
    [](graph& g) {
      g.output("logits",
               parakeet_scores(parakeet_encoder(g.input<f32>("features", {"B", "F", c.mels}), c), c));
    },
    parakeet_names);

/// features [B, F, mels], and targets [B, S] of int32, tokens with blanks behind them -> the sum over the rows of the
/// negative log likelihood of their tokens, in nats.
template <parakeet_config c>
inline constexpr auto parakeet_loss = model(
    "parakeet_loss",
    [](graph& g) {
      const expr logits =
          parakeet_scores(parakeet_encoder(g.input<f32>("features", {"B", "F", c.mels}), c), c);
      g.output("loss",
               ctc_loss(logits, g.input<i32>("targets", {"B", "S"}), {.blank = c.blank, .average = false}));
    },
    parakeet_names);

} // namespace fovea::models
