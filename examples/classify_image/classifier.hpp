#pragma once

#include <clip/encoder.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace classify_image {

/// How probable a label is among others.
struct judged_label {
  std::string label;
  float probability;
};

/// Sorts pictures under labels that no network has learned (Radford et al. 2021, section 3.1): a label's vector is the mean
/// of those of its prompts.
class classifier {
public:
  /// Each prompt has {} where the label goes. Throws fovea::error for a prompt without, for fewer than two labels, for a
  /// label that comes twice, and for a text that is too long. `encoder` must live as long.
  classifier(clip_program::encoder& encoder, std::vector<std::string> labels,
             std::span<const std::string> prompts);

  /// The labels of a picture, the most probable first; of equal ones the first given.
  std::vector<judged_label> judged(const picture::image& shown) const;

private:
  clip_program::encoder& encoder_;
  std::vector<std::string> labels_;
  std::vector<float> vectors_; // [labels, width]
};

/// The parts of a text between commas, without the white space around them.
std::vector<std::string> between_commas(const std::string& text);

} // namespace classify_image
