#pragma once

#include <fovea/models/rnn.hpp>
#include <fovea/runtime/decoding/viterbi.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tag_program {

// What the program is compiled for; train.py reads the same numbers from `tag --sizes`.
inline constexpr fovea::models::rnn_tagger_config sizes{
    .vocab = 20000, .width = 64, .hidden = 64, .tags = 48};
nlohmann::json sizes_as_json();

/// A trained tagger: an LSTM that reads both ways, and scores of neighbouring tags.
class tagger {
public:
  static constexpr std::size_t longest = 256; // words that are tagged together

  /// `folder` is what train.py writes: weights.safetensors, sizes.json, words.json and tags.json. Throws
  /// fovea::error where a file is missing or does not fit.
  explicit tagger(const std::filesystem::path& folder);
  ~tagger();

  /// The tags that score highest together, one for each word; more words than `longest` in parts.
  std::vector<std::string> tags_of(std::span<const std::string> words);

private:
  struct network;
  std::vector<std::string> tags_;
  fovea::transition_scores transitions_;
  fovea::tokenizer words_;
  std::unique_ptr<network> network_;
};

/// The words between white space.
std::vector<std::string> words_of(const std::string& line);

} // namespace tag_program
