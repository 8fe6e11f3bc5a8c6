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

/// y = gamma * o + x, where o at place j is the mean of h(x_i) over all places i, weighted by the softmax
/// over i of f(x_i) . g(x_j). f, g and h are convolutions of one place each; gamma is learned and begins at
/// 0, so that the block begins as nothing. x [B, H, W, channels] keeps its shape. Makes f, g and h, v with
/// .output_convolution, and gamma [1].
constexpr expr sagan_attention(expr x, sagan_config c, place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const dim channels = x.size(-1), places = x.size(1) * x.size(2);
  const dim values = c.value_filters == 0 ? channels : dim(c.value_filters);
  const auto each_place = [&](const char* name, dim filters) {
    const expr y = conv2d(x, name, filters, 1, {.bias = c.bias});
    return reshape(y, {x.size(0), places, filters});
  };
  const expr f = each_place("f", c.filters), g = each_place("g", c.filters), h = each_place("h", values);
  expr o = reshape(attention(g, f, h, {.score = dot}), {x.size(0), x.size(1), x.size(2), values});
  if (c.output_convolution) o = conv2d(o, "v", channels, 1, {.bias = c.bias});
  return parameter(x, "gamma", {1}, init::zeros()) * o + x;
}

/// x [B, H, W, channels] -> y of the same shape.
template <int channels, sagan_config c>
inline constexpr auto sagan = model("sagan", [](graph& g) {
  g.output("y", sagan_attention(g.input<f32>("x", {"B", "H", "W", channels}), c));
});

} // namespace fovea::models
