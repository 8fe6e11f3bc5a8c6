#pragma once

#include <fovea/models/clip.hpp>

/// The shape of the reference case "clip".
inline constexpr fovea::models::clip_config tiny_clip = [] {
  constexpr fovea::models::transformer_block_config tower{.heads = 4,
                                                          .width = 32,
                                                          .inner = 48,
                                                          .norm_first = true,
                                                          .activation =
                                                              fovea::models::activation::quick_gelu};
  return fovea::models::clip_config{.layers = 2,
                                    .text = tower,
                                    .vocab = 96,
                                    .context = 16,
                                    .end = 95,
                                    .picture_layers = 2,
                                    .picture = tower,
                                    .image = 16,
                                    .patch = 4,
                                    .joint = 24};
}();
