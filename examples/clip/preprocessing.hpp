#pragma once

#include <picture/image.hpp>

#include <array>
#include <cstddef>
#include <filesystem>
#include <vector>

namespace clip_program {

/// A picture as the network takes it: [side, side, 3].
using pixels = std::vector<float>;

/// How a checkpoint's pictures became numbers: its shorter side is resized, its middle cut out, and its values are
/// rescaled and normalised. By default OpenAI's.
struct preprocessing {
  std::size_t shortest_edge = 224, side = 224;
  double rescale = 1.0 / 255;
  std::array<double, 3> mean{0.48145466, 0.4578275, 0.40821073},
      deviation{0.26862954, 0.26130258, 0.27577711};

  /// What transformers' CLIPImageProcessor gives with Pillow, channels last.
  pixels operator()(const picture::image& from) const;
};

/// Reads the image_processor of a checkpoint's processor_config.json or, where it has none, its preprocessor_config.json.
/// Throws fovea::error that names the file and what in it is not supported, or does not fit a network of `side` x `side`
/// pixels.
preprocessing read_preprocessing(const std::filesystem::path& folder, std::size_t side);

} // namespace clip_program
