#pragma once

// Stacks of dilated causal convolutions: the temporal convolutional network (Bai et al. 2018), and WaveNet's
// gated blocks with skip connections (van den Oord et al. 2016).

#include <fovea/dsl.hpp>

#include <array>

namespace fovea::models {

struct tcn_config {
  int blocks, in, channels;
  int width = 3;
};

/// A residual block: two causal convolutions, and the input, mapped where its width differs (section 3.3;
/// without weight norm and dropout). x [B, T, any width] -> [B, T, channels].
constexpr expr tcn_block(expr x, int dilation, tcn_config c,
                         source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto layer = [&](expr y, const char* name) {
    return relu(conv1d(y, name, c.channels, c.width, {.dilation = dilation, .padding = causal}));
  };
  const expr y = layer(layer(x, "conv1"), "conv2");
  return relu(y + (x.size(-1) == dim(c.channels) ? x : conv1d(x, "down", c.channels, 1)));
}

/// The stack; each block sees twice as far as the one before: [B, T, in] -> [B, T, channels].
constexpr expr tcn_stack(expr x, tcn_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  for (int i = 0; i < c.blocks; ++i) {
    const scope names(x, "blocks", i);
    x = tcn_block(x, 1 << i, c);
  }
  return x;
}

/// x [B, T, in] -> y [B, T, channels].
template <tcn_config c>
inline constexpr auto tcn = model("tcn", [](graph& g) {
  g.output("y", tcn_stack(g.input<f32>("x", {"B", "T", c.in}), c));
});

struct wavenet_config {
  int blocks, classes, residual, skip; // classes: levels that a sample may have
  int width = 2;
};

/// What a gated block makes of x [B, T, residual]: the next block's input of its shape, and its part
/// [B, T, skip] of the result (section 2.4).
struct wavenet_values {
  expr next, skip;
};
constexpr wavenet_values wavenet_block(expr x, int dilation, wavenet_config c,
                                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto dilated = [&](const char* name) {
    return conv1d(x, name, c.residual, c.width, {.dilation = dilation, .padding = causal});
  };
  const expr z = tanh(dilated("filter")) * sigmoid(dilated("gate"));
  return {x + conv1d(z, "residual", c.residual, 1), conv1d(z, "skip", c.skip, 1)};
}

/// Scores of the next sample: samples [B, T] of int32 -> [B, T, classes].
constexpr expr wavenet_logits(expr samples, wavenet_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(samples, at);
  expr x = embedding(samples, "samples", c.classes, c.residual), total;
  for (int i = 0; i < c.blocks; ++i) {
    const scope names(x, "blocks", i);
    const wavenet_values made = wavenet_block(x, 1 << i, c);
    total = i == 0 ? made.skip : total + made.skip;
    x = made.next;
  }
  return conv1d(relu(conv1d(relu(total), "out1", c.skip, 1)), "out2", c.classes, 1);
}

/// The names of the plain module in PyTorch, which keeps a list of each kind of convolution.
inline constexpr auto wavenet_names = std::to_array<name_rule>({
    {"samples.weight", "embedding.weight"},
    {"blocks.*.filter.weight", "filter.*.weight"},
    {"blocks.*.filter.bias", "filter.*.bias"},
    {"blocks.*.gate.weight", "gate.*.weight"},
    {"blocks.*.gate.bias", "gate.*.bias"},
    {"blocks.*.residual.weight", "res.*.weight"},
    {"blocks.*.residual.bias", "res.*.bias"},
    {"blocks.*.skip.weight", "skip.*.weight"},
    {"blocks.*.skip.bias", "skip.*.bias"},
});

/// samples [B, T] of int32 -> logits [B, T, classes].
template <wavenet_config c>
inline constexpr auto wavenet = model(
    "wavenet",
    [](graph& g) {
      g.output("logits", wavenet_logits(g.input<i32>("samples", {"B", "T"}), c));
    },
    wavenet_names);

/// samples, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a sample, in
/// nats.
template <wavenet_config c>
inline constexpr auto wavenet_loss = model(
    "wavenet_loss",
    [](graph& g) {
      const expr logits = wavenet_logits(g.input<i32>("samples", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    wavenet_names);

} // namespace fovea::models
