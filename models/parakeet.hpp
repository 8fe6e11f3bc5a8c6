#pragma once

// Parakeet: speech as words by a fast Conformer, whose layers attend to all frames and convolve near ones (Gulati et al.
// 2020; Rekesh et al. 2023), and by connectionist temporal classification. Loads Hugging Face checkpoints of
// ParakeetForCTC unchanged.

#include <fovea/dsl.hpp>

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

/// Attention whose scores also compare a query with how far the key is before or behind it (Dai et al. 2019, section
/// 3.3). x [B, T, width] keeps its shape.
constexpr expr parakeet_attention(expr x, parakeet_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const int each = c.width / c.heads;
  const dim rows = x.size(0), length = x.size(1);
  const expr q = reshape(linear(x, "q_proj", c.width, {.bias = c.bias}), {rows, length, c.heads, each});
  const auto shifted = [&](const char* name) {
    return q + parameter(x, name, {c.heads, each}, init::zeros());
  };
  const expr of_contents = reshape(shifted("bias_u"), {rows, length, c.width}),
             of_distances = permute(shifted("bias_v"), {0, 2, 1, 3}) / sqrt(constant(x, each));
  // The sine of a distance to a key behind the query is that of the same distance before it, negated.
  const expr before = sinusoidal_positions(x);
  const expr signs = to_float(2 * range(x, 2) - 1);
  const expr behind = reshape(reshape(before, {length, c.width / 2, 2}) * signs, {length, c.width});
  const expr weight = parameter(x, "relative_k_proj.weight", {c.width, c.width});
  const auto scores = [&](expr distances) {
    const expr keys = reshape(linear(distances, weight), {length, c.heads, each});
    return matmul(of_distances, permute(keys, {1, 2, 0})); // [B, heads, T, T], by distance
  };
  const expr to_before = scores(before), to_behind = scores(behind);
  const expr gathered =
      attention(of_contents, linear(x, "k_proj", c.width, {.bias = c.bias}),
                linear(x, "v_proj", c.width, {.bias = c.bias}),
                {.heads = c.heads, .score = [=](scalar s, scalar query, scalar key, scalar head, scalar row) {
                   return s + where(key <= query, fovea::at(to_before, row, head, query, query - key),
                                    fovea::at(to_behind, row, head, query, key - query));
                 }});
  return linear(gathered, "o_proj", c.width, {.bias = c.bias});
}

/// A gate, a convolution of each feature over near frames, a norm and SiLU, between maps (Gulati et al. 2020, figure 2). x
/// [B, T, width] keeps its shape.
constexpr expr parakeet_convolution(expr x, parakeet_config c,
                                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto [main, gate] = split<2>(linear(x, "expand", 2 * c.width, {.bias = c.bias}));
  const expr near = conv1d(main * sigmoid(gate), "depthwise_conv", c.width, c.window,
                           {.padding = same, .groups = c.width, .bias = c.bias});
  return linear(silu(batch_norm(near, "norm")), "project", c.width, {.bias = c.bias});
}

/// One layer: half a feed-forward layer, attention, a convolution, the other half, each normalised before and added to
/// its input, and a norm (Gulati et al. 2020, equation 1). x [B, T, width] keeps its shape.
constexpr expr parakeet_block(expr x, parakeet_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto feed_forward = [&](expr y, const char* name) {
    const scope inside(y, name);
    return linear(silu(linear(y, "linear1", c.inner, {.bias = c.bias})), "linear2", c.width,
                  {.bias = c.bias});
  };
  x = x + 0.5 * feed_forward(layer_norm(x, "norm_feed_forward1"), "feed_forward1");
  const expr seen = layer_norm(x, "norm_self_att");
  {
    const scope inside(x, "self_attn");
    x = x + parakeet_attention(seen, c);
  }
  const expr near = layer_norm(x, "norm_conv");
  {
    const scope inside(x, "conv");
    x = x + parakeet_convolution(near, c);
  }
  x = x + 0.5 * feed_forward(layer_norm(x, "norm_feed_forward2"), "feed_forward2");
  return layer_norm(x, "norm_out");
}

/// features [B, F, mels] -> [B, T, width].
constexpr expr parakeet_encoder(expr features, parakeet_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(features, at);
  return repeat("layers", c.layers, parakeet_frames(features, c),
                [&](expr x) { return parakeet_block(x, c); });
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
