#pragma once

#include "idx.hpp"

#include <fovea/dsl.hpp>
#include <fovea/models/vit.hpp>

namespace train_digits {

using namespace fovea;

inline constexpr int image_side = static_cast<int>(side), kinds = 10;

constexpr expr pixels_of(graph& g) { return g.input<f32>("pixels", {"B", image_side, image_side, 1}); }
constexpr void put_loss(graph& g, expr logits) {
  g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B"})));
}

/// Rows as steps of time: pixels [B, 28, 28, 1] -> [B, 10], by the last state.
constexpr expr gru_logits(expr pixels) {
  const expr rows = reshape(pixels, {pixels.size(0), image_side, image_side});
  return linear(gru(rows, "rnn", 128).state.hidden[0], "linear", kinds);
}

/// Two convolutions, each halved by pooling, and two linear maps, as LeNet-5 (LeCun et al. 1998, section
/// II.B) with today's words: pixels [B, 28, 28, 1] -> [B, 10].
constexpr expr cnn_logits(expr pixels) {
  expr x = max_pool(relu(conv2d(pixels, "conv1", 16, 5, {.padding = same})), 2);
  x = max_pool(relu(conv2d(x, "conv2", 32, 5, {.padding = same})), 2);
  constexpr int small = image_side / 4;
  x = relu(linear(reshape(x, {x.size(0), small * small * 32}), "linear1", 128));
  return linear(dropout(x, 0.5), "linear2", kinds);
}

inline constexpr models::vit_config vit_sizes{.layers = 4,
                                              .heads = 4,
                                              .width = 64,
                                              .inner = 128,
                                              .image = image_side,
                                              .patch = 7,
                                              .classes = kinds,
                                              .channels = 1};

/// A network as it reads images, and its loss.
struct gru_network {
  static constexpr auto reads =
      model("gru_digits", [](graph& g) { g.output("logits", gru_logits(pixels_of(g))); });
  static constexpr auto loss =
      model("gru_digits_loss", [](graph& g) { put_loss(g, gru_logits(pixels_of(g))); });
};
struct cnn_network {
  static constexpr auto reads =
      model("cnn_digits", [](graph& g) { g.output("logits", cnn_logits(pixels_of(g))); });
  static constexpr auto loss =
      model("cnn_digits_loss", [](graph& g) { put_loss(g, cnn_logits(pixels_of(g))); });
};
struct vit_network {
  static constexpr const auto& reads = models::vit<vit_sizes>;
  static constexpr const auto& loss = models::vit_loss<vit_sizes>;
};

} // namespace train_digits
