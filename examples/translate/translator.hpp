#pragma once

#include <fovea/runtime/decoding/beam_search.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <picture/attention_map.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace translate_program {

struct translation {
  std::string text;
  double log_probability, score;
  std::vector<fovea::token_id> ids; // </s> included
};

/// A trained encoder-decoder with its tokenizers.
class translator {
public:
  static constexpr std::size_t longest = 64; // words of a line, and of a translation

  /// `folder` is what train.py writes: weights.safetensors, sizes.json, source.json and target.json. Throws
  /// fovea::error where a file is missing or does not fit.
  explicit translator(const std::filesystem::path& folder);
  ~translator();

  /// The best of a beam, best first. Throws fovea::error for a line without words, or of too many.
  std::vector<translation> translate(const std::string& line, const fovea::beam_options& how);
  /// How strongly each word of a translation looked at each of the line.
  picture::attention_map alignment(const std::string& line, const translation& made);

  /// A network by its name.
  class machine;

private:
  fovea::token_ids source_ids(const std::string& line) const;

  std::unique_ptr<machine> machine_;
  fovea::tokenizer source_, target_;
};

/// Words with the spaces that a writer puts between them.
std::string written(const std::vector<std::string>& words);

} // namespace translate_program
