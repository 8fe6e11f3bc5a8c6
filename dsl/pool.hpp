#pragma once

#include <fovea/dsl/convolution.hpp>

namespace fovea::core {

/// A window of pooling: one number slides over the time of [..., T, features], and over both axes of a batch
/// of planes [B, H, W, features]; {height, width} slides over planes whatever the leading axes.
struct pool_window {
  height_width size;
  bool planes;

  constexpr pool_window(int both) : size(both), planes(false) {}
  constexpr pool_window(int h, int w) : size(h, w), planes(true) {}
};

struct max_pool_options {
  height_width stride = 0; // 0: as far as the window is long
  slide_padding padding = 0;
  bool round_up = false; // whether a last window that begins inside, but ends outside, counts
};

struct avg_pool_options {
  height_width stride = 0;
  slide_padding padding = 0;
  bool round_up = false;
  bool count_padding = true; // whether the padding counts as zeros; else means are of what is there
};

namespace detail {

constexpr expr pool(op kind, expr x, pool_window window, height_width stride, const slide_padding& padding,
                    bool round_up, bool count_padding, source_place at) {
  const graph::named who{word_of(kind)};
  if (!is_float(x, at, who)) return {x.owner};
  graph& g = *x.owner;
  const int axes = window.planes || x.rank() == 4 ? 2 : 1;
  if (stride.height == 0) stride.height = window.size.height;
  if (stride.width == 0) stride.width = window.size.width;
  sliding_window w = window_of(axes, window.size, stride, 1);
  if (!can_slide(x, w, at, who) || !set_padding(w, g, padding, at, who)) return {&g};
  sliding_window rounded = w;
  for (int i = 2 - axes; i < 2; ++i) {
    if (w.before[i] >= w.size[i])
      return g.fail(107, at, who, ": expected a padding below the window of ", w.size[i], ", found ",
                    w.before[i], "; a window must see something");
    if (round_up) { // further places, as long as they begin inside
      const int partial = w.stride[i] - 1, inside = w.size[i] - 1 - w.after[i];
      rounded.after[i] += partial < inside ? partial : inside;
    }
  }
  shape s;
  if (!slid_shape(s, x, rounded, at, who)) return {&g};
  const int added = g.add_window(w, at, who);
  if (added < 0) return {&g};
  return g.add({.kind = kind, .shape = s, .settings = {.window = {added, count_padding}}, .at = at}, x);
}

} // namespace detail

/// The largest value that a window sees, for each feature. Windows as pool_window says; the stride is by
/// default the window's own size. Over a whole axis: max_over.
constexpr expr max_pool(expr x, pool_window window, max_pool_options options = {},
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::pool(op::max_pool, x, window, options.stride, options.padding, options.round_up, false, at);
}

/// The mean of what a window sees, for each feature. Over a whole axis: mean.
constexpr expr avg_pool(expr x, pool_window window, avg_pool_options options = {},
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return detail::pool(op::avg_pool, x, window, options.stride, options.padding, options.round_up,
                      options.count_padding, at);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::avg_pool, core::avg_pool_options, core::max_pool, core::max_pool_options, core::pool_window;
} // namespace fovea
