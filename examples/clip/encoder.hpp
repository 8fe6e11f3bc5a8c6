#pragma once

#include "preprocessing.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace clip_program {

/// A CLIP with its tokenizer and preprocessing: texts and pictures as vectors of length 1, whose products are cosines.
class encoder {
public:
  virtual ~encoder() = default;

  /// Of a vector.
  virtual std::size_t width() const = 0;
  /// What the cosines of a picture and some texts are multiplied by before their softmax: exp of the learned temperature.
  virtual float scale() const = 0;

  virtual pixels prepared(const picture::image& from) const = 0;
  /// How many pictures are encoded at once.
  static constexpr std::size_t batch = 8;
  /// [pictures.size(), width]
  virtual std::vector<float> of_pictures(std::span<const pixels> pictures) = 0;
  /// [texts.size(), width]. Throws fovea::error for an empty text and for one that is too long.
  virtual std::vector<float> of_texts(std::span<const std::string> texts) = 0;
};

/// Of the shape that CMake's FOVEA_CLIP names. `folder` holds config.json, tokenizer.json, model.safetensors or its
/// shards, and processor_config.json or preprocessor_config.json, as Hugging Face has them; threads 0: every processor.
/// Throws fovea::error that names the file that is missing or unfit.
std::unique_ptr<encoder> open_encoder(const std::filesystem::path& folder, int threads);

} // namespace clip_program
