#pragma once

#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace classify_program {

/// A trained classifier with its tokenizer and labels.
class classifier {
public:
  /// `folder` is what train_classifier or train.py writes: weights.safetensors, sizes.json, words.json and
  /// labels.json. Throws fovea::error where a file is missing or does not fit.
  explicit classifier(const std::filesystem::path& folder);
  ~classifier();

  const std::vector<std::string>& labels() const { return labels_; }
  /// The probability of each label. Throws fovea::error for a text without words.
  std::vector<double> probabilities(const std::string& text);

  /// A network by its name.
  class machine;

private:
  std::vector<std::string> labels_;
  fovea::tokenizer words_;
  std::unique_ptr<machine> machine_;
};

} // namespace classify_program
