#pragma once

// Self-attention between the places of an image (Zhang et al. 2019, SAGAN, section 3), after Wang et al.
// 2018.

#include <fovea/dsl.hpp>

namespace fovea::models {

struct sagan_config {
  int filters = 64;                // of f and g, by which places are compared
  int value_filters = 0;           // of h; 0: as many as x has
  bool output_convolution = false; // back to the channels of x, where h has fewer
  bool bias = false;
};

/// What places are compared by and what is mixed: f and g [B, H * W, filters], h [B, H * W, value filters].
struct sagan_features {
  expr f, g, h;
};

/// Convolutions of one place each: x [B, H, W, channels]. Makes f, g and h.
constexpr sagan_features sagan_projections(expr x, sagan_config c,
                                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto each_place = [&](const char* name, dim filters) {
    const expr y = conv2d(x, name, filters, 1, {.bias = c.bias});
    return reshape(y, {x.size(0), x.size(1) * x.size(2), filters});
  };
  return {each_place("f", c.filters), each_place("g", c.filters),
          each_place("h", c.value_filters == 0 ? x.size(-1) : dim(c.value_filters))};
}

/// How much each place j takes of each place i: the softmax over i of f(x_i) . g(x_j), [B, H * W, H * W].
constexpr expr sagan_maps(sagan_features of, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(of.f, at);
  const expr maps = attention_map(of.g, of.f, of.h, {.score = dot});
  return reshape(maps, {of.f.size(0), of.f.size(1), of.f.size(1)});
}

/// y = gamma * o + x, o being the means of h by those maps; gamma is learned and begins at 0, so that the
/// block begins as nothing. x [B, H, W, channels] keeps its shape. Makes gamma [1], and v with
/// .output_convolution.
constexpr expr sagan_output(expr x, sagan_features of, sagan_config c,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  expr o =
      reshape(attention(of.g, of.f, of.h, {.score = dot}), {x.size(0), x.size(1), x.size(2), of.h.size(-1)});
  if (c.output_convolution) o = conv2d(o, "v", x.size(-1), 1, {.bias = c.bias});
  return parameter(x, "gamma", {1}, init::zeros()) * o + x;
}

/// The whole block: x [B, H, W, channels] keeps its shape.
constexpr expr sagan_attention(expr x, sagan_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  return sagan_output(x, sagan_projections(x, c), c);
}

/// x [B, H, W, channels] -> y of the same shape.
template <int channels, sagan_config c>
inline constexpr auto sagan = model("sagan", [](graph& g) {
  g.output("y", sagan_attention(g.input<f32>("x", {"B", "H", "W", channels}), c));
});

} // namespace fovea::models
