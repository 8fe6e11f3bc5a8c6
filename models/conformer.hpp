#pragma once

// The Conformer (Gulati et al. 2020): an encoder's layer that attends to all frames and convolves near ones, between the
// halves of a feed-forward layer.

#include <fovea/models/transformer.hpp>

namespace fovea::models {

/// What a layer is made of.
struct conformer_config {
  int heads, width, inner;
  int window = 31;  // of the convolution, odd
  bool bias = true; // of linear maps
  bool convolution_bias = true;
  models::activation activation = models::activation::silu;
  bool rotary =
      false; // positions turn what queries and keys are made of, where scores do not compare distances
};

/// Attention whose scores also compare a query with how far the key is before or behind it (Dai et al. 2019, section
/// 3.3). x [B, T, width] keeps its shape.
constexpr expr conformer_attention(expr x, conformer_config c,
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

/// Attention whose queries and keys are made of turned positions: what each head has of x is turned before the maps
/// (Su et al. 2021). x [B, T, width] keeps its shape.
constexpr expr conformer_rotary_attention(expr x, conformer_config c,
                                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr turned = rope(x, {.heads = c.heads});
  const expr gathered = attention(linear(turned, "q_proj", c.width, {.bias = c.bias}),
                                  linear(turned, "k_proj", c.width, {.bias = c.bias}),
                                  linear(x, "v_proj", c.width, {.bias = c.bias}), {.heads = c.heads});
  return linear(gathered, "o_proj", c.width, {.bias = c.bias});
}

/// A gate, a convolution of each feature over near frames, a norm and an activation, between maps (Gulati et al. 2020, figure 2). x
/// [B, T, width] keeps its shape.
constexpr expr conformer_convolution(expr x, conformer_config c,
                                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto [main, gate] = split<2>(linear(x, "expand", 2 * c.width, {.bias = c.convolution_bias}));
  const expr near = conv1d(main * sigmoid(gate), "depthwise_conv", c.width, c.window,
                           {.padding = same, .groups = c.width, .bias = c.convolution_bias});
  return linear(activated(batch_norm(near, "norm"), c.activation), "project", c.width,
                {.bias = c.convolution_bias});
}

/// One layer: half a feed-forward layer, attention, a convolution, the other half, each normalised before and added to
/// its input, and a norm (Gulati et al. 2020, equation 1). x [B, T, width] keeps its shape.
constexpr expr conformer_block(expr x, conformer_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto feed_forward = [&](expr y, const char* name) {
    const scope inside(y, name);
    return linear(activated(linear(y, "linear1", c.inner, {.bias = c.bias}), c.activation), "linear2",
                  c.width, {.bias = c.bias});
  };
  x = x + 0.5 * feed_forward(layer_norm(x, "norm_feed_forward1"), "feed_forward1");
  const expr seen = layer_norm(x, "norm_self_att");
  {
    const scope inside(x, "self_attn");
    x = x + (c.rotary ? conformer_rotary_attention(seen, c) : conformer_attention(seen, c));
  }
  const expr near = layer_norm(x, "norm_conv");
  {
    const scope inside(x, "conv");
    x = x + conformer_convolution(near, c);
  }
  x = x + 0.5 * feed_forward(layer_norm(x, "norm_feed_forward2"), "feed_forward2");
  return layer_norm(x, "norm_out");
}

} // namespace fovea::models
