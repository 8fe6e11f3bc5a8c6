#pragma once

#include <fovea/models/char_lm.hpp>
#include <fovea/runtime/decoding/sampling.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace char_lm_program {

// What the program is compiled for; train.py reads the same numbers from `char_lm --sizes`.
inline constexpr fovea::models::char_lm_config sizes{.characters = 256,
                                                     .character_width = 15,
                                                     .word_length = 20,
                                                     .widths = {1, 2, 3, 4, 5},
                                                     .filters = {25, 50, 75, 75, 75},
                                                     .vocab = 8000,
                                                     .hidden = 300,
                                                     .layers = 1,
                                                     .dropout = 0.6,
                                                     .word_dropout = 0.4};
nlohmann::json sizes_as_json();

/// How well a text is predicted.
struct measured {
  double perplexity = 0;
  std::size_t words = 0, unknown = 0; // line ends counted
};

/// A trained language model that reads words by their characters, those that it cannot write among them.
class character_model {
public:
  /// `folder` is what train.py writes: weights.safetensors, sizes.json, words.json and characters.json.
  /// Throws fovea::error where a file is missing or does not fit.
  explicit character_model(const std::filesystem::path& folder);
  ~character_model();

  /// Of lines after each other, each ended by </s>. Throws fovea::error where there are no words.
  measured measure(const std::vector<std::string>& lines);
  /// Goes on from a prompt to the end of its line, or for that many words.
  std::vector<std::string> write(const std::string& prompt, const fovea::sampling_options& how,
                                 std::size_t most_words);

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace char_lm_program
