#pragma once

// The image encoder of the Segment Anything Model (Kirillov et al. 2023, appendix A): a Vision Transformer over a plane
// of patches, most of whose layers attend within windows (Li, Mao et al. 2022), with relative positions by row and by
// column (Li, Wu et al. 2022). Loads it from Hugging Face checkpoints of SamModel and SamVisionModel unchanged.

#include <fovea/models/transformer.hpp>

namespace fovea::models {

struct sam_vision_config {
  int layers, heads, width, inner;
  int period;                   // of so many layers in turn the last attends to the whole plane
  int image = 1024, patch = 16; // pixels on a side
  int window = 14;              // patches on a side
  int channels = 3, features = 256;
  double epsilon = 1e-6;

  constexpr int side() const { return image / patch; }
};

/// facebook/sam-vit-base, 90 million parameters, -large, 308, and -huge, 637.
inline constexpr sam_vision_config sam_vision_base{
    .layers = 12, .heads = 12, .width = 768, .inner = 3072, .period = 3};
inline constexpr sam_vision_config sam_vision_large{
    .layers = 24, .heads = 16, .width = 1024, .inner = 4096, .period = 6};
inline constexpr sam_vision_config sam_vision_huge{
    .layers = 32, .heads = 16, .width = 1280, .inner = 5120, .period = 8};

/// A linear map of each patch, with its position added: pixels [B, image, image, channels] -> [B, side, side, width].
constexpr expr sam_vision_embeddings(expr pixels, sam_vision_config c,
                                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(pixels, at);
  return conv2d(pixels, "patches", c.width, c.patch, {.stride = c.patch}) +
         parameter(pixels, "positions", {1, c.side(), c.side(), c.width}, init::normal(0.02));
}

/// Attention between the places of a plane, whose scores also compare the query with how many rows and how many columns
/// the key is before it (Li, Wu et al. 2022, equation 4). x [B, side, side, width] keeps its shape.
constexpr expr sam_vision_attention(expr x, sam_vision_config c,
                                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const int side = static_cast<int>(x.size(1).number()), places = side * side, each = c.width / c.heads;
  const dim planes = x.size(0);
  const auto [q, k, v] = split<3>(linear(reshape(x, {planes, places, c.width}), "qkv", 3 * c.width));
  const expr by_head = permute(reshape(q, {planes, places, c.heads, each}), {0, 2, 1, 3});
  const auto scores = [&](const char* name) { // [B, heads, places, 2 side - 1], by distance
    return matmul(by_head, transpose(parameter(x, name, {2 * side - 1, each}, init::zeros())));
  };
  const expr by_rows = scores("rows"), by_columns = scores("columns");
  const expr gathered = attention(
      q, k, v,
      {.heads = c.heads, .score = [=](scalar s, scalar query, scalar key, scalar head, scalar plane) {
         const scalar rows = query / side - key / side, columns = query - key - rows * side;
         return s + fovea::at(by_rows, plane, head, query, rows + (side - 1)) +
                fovea::at(by_columns, plane, head, query, columns + (side - 1));
       }});
  return reshape(linear(gathered, "out_proj", c.width), {planes, side, side, c.width});
}

/// f of each window of a plane, which is filled up to whole windows by zeros: x [B, side, side, width] keeps its shape.
template <class F>
constexpr expr within_windows(expr x, int window, F f,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const int side = static_cast<int>(x.size(1).number()), windows = (side + window - 1) / window,
            whole = windows * window;
  const dim planes = x.size(0), width = x.size(3);
  const expr filled = pad(pad(x, axis(1), 0, whole - side), axis(2), 0, whole - side);
  const expr apart =
      permute(reshape(filled, {planes, windows, window, windows, window, width}), {0, 1, 3, 2, 4, 5});
  const expr seen = f(reshape(apart, {planes * (windows * windows), window, window, width}));
  const expr together =
      permute(reshape(seen, {planes, windows, windows, window, window, width}), {0, 1, 3, 2, 4, 5});
  return slice(slice(reshape(together, {planes, whole, whole, width}), axis(1), 0, side), axis(2), 0, side);
}

/// One layer: attention to the whole plane or within windows, then a feed-forward layer, each normalised before and
/// added to its input. x [B, side, side, width] keeps its shape.
constexpr expr sam_vision_block(expr x, bool whole, sam_vision_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto attended = [&](expr y) {
    const scope inside(y, "self_attn");
    return sam_vision_attention(y, c);
  };
  const expr h = layer_norm(x, "norm1", {.epsilon = c.epsilon});
  x = x + (whole ? attended(h) : within_windows(h, c.window, attended));
  return x +
         feed_forward(layer_norm(x, "norm2", {.epsilon = c.epsilon}),
                      {.heads = c.heads, .width = c.width, .inner = c.inner, .activation = activation::gelu});
}

/// Two convolutions, each normalised, that lead to what masks are made of: [B, side, side, width] -> [B, side, side,
/// features].
constexpr expr sam_vision_neck(expr x, sam_vision_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const scope inside(x, "neck");
  x = layer_norm(conv2d(x, "conv1", c.features, 1, {.bias = false}), "norm1", {.epsilon = c.epsilon});
  return layer_norm(conv2d(x, "conv2", c.features, 3, {.padding = same, .bias = false}), "norm2",
                    {.epsilon = c.epsilon});
}

/// pixels [B, image, image, channels] -> [B, side, side, features].
constexpr expr sam_vision_encoder(expr pixels, sam_vision_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(pixels, at);
  const expr x = repeat("layers", c.layers, sam_vision_embeddings(pixels, c),
                        [c](expr y, int phase) { return sam_vision_block(y, phase == c.period - 1, c); },
                        {.period = c.period});
  return sam_vision_neck(x, c);
}

/// How Hugging Face names the parameters. What makes masks is skipped.
inline constexpr auto sam_vision_names = std::to_array<name_rule>({
    {"", "vision_encoder.", naming::optional_prefix},
    {"patches.weight", "patch_embed.projection.weight"},
    {"patches.bias", "patch_embed.projection.bias"},
    {"positions", "pos_embed"},
    {"layers.*.norm1.weight", "layers.*.layer_norm1.weight"},
    {"layers.*.norm1.bias", "layers.*.layer_norm1.bias"},
    {"layers.*.self_attn.qkv.weight", "layers.*.attn.qkv.weight"},
    {"layers.*.self_attn.qkv.bias", "layers.*.attn.qkv.bias"},
    {"layers.*.self_attn.rows", "layers.*.attn.rel_pos_h"},
    {"layers.*.self_attn.columns", "layers.*.attn.rel_pos_w"},
    {"layers.*.self_attn.out_proj.weight", "layers.*.attn.proj.weight"},
    {"layers.*.self_attn.out_proj.bias", "layers.*.attn.proj.bias"},
    {"layers.*.norm2.weight", "layers.*.layer_norm2.weight"},
    {"layers.*.norm2.bias", "layers.*.layer_norm2.bias"},
    {"layers.*.linear1.weight", "layers.*.mlp.lin1.weight"},
    {"layers.*.linear1.bias", "layers.*.mlp.lin1.bias"},
    {"layers.*.linear2.weight", "layers.*.mlp.lin2.weight"},
    {"layers.*.linear2.bias", "layers.*.mlp.lin2.bias"},
    {"neck.norm1.weight", "neck.layer_norm1.weight"},
    {"neck.norm1.bias", "neck.layer_norm1.bias"},
    {"neck.norm2.weight", "neck.layer_norm2.weight"},
    {"neck.norm2.bias", "neck.layer_norm2.bias"},
    {"", "prompt_encoder.**", naming::ignored},
    {"", "mask_decoder.**", naming::ignored},
    {"", "shared_image_embedding.**", naming::ignored},
});

/// pixels [B, image, image, channels], of the mean and deviation that the processor gives them, filled up by zeros on the
/// right and below -> features [B, side, side, features].
template <sam_vision_config c>
inline constexpr auto sam_vision = model(
    "sam_vision",
    [](graph& g) {
      g.output("features",
               sam_vision_encoder(g.input<f32>("pixels", {"B", c.image, c.image, c.channels}), c));
    },
    sam_vision_names);

} // namespace fovea::models
