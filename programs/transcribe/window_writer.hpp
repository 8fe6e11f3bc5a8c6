#pragma once

#include "whisper_tokens.hpp"
#include "window_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fovea::programs {

/// How texts of windows are searched, and when they are searched anew (Radford et al. 2023, section 4.5).
struct writing_options {
  std::size_t beam = 5, best_of = 5; // texts followed at temperature 0, and drawn above
  std::vector<double> temperatures{0, 0.2, 0.4, 0.6, 0.8, 1};
  double least_log_probability = -1; // the mean of a token's
  double most_compression = 2.4;
  double most_no_speech = 0.6;
  bool times = true;
  std::uint64_t seed = 0;
};

/// What is written of a window.
struct window_text {
  token_ids ids; // without the end
  std::string text;
  double log_probability; // the mean of a token's
  double no_speech, compression, temperature;

  /// Whether nobody speaks: that is probable, and the text is not.
  bool is_silent(const writing_options& how) const {
    return no_speech > how.most_no_speech && log_probability <= how.least_log_probability;
  }
};

/// Writes what is said in a window. The network and the tokens live as long.
class window_writer {
public:
  window_writer(speech_network& network, const speech_sizes& sizes, tokenizer words,
                const whisper_tokens& tokens, writing_options how)
      : network_(network), frames_(sizes.frames), vocabulary_(sizes.vocabulary), words_(std::move(words)),
        tokens_(tokens), how_(std::move(how)), reader_(network, tokens.start, tokens.silence) {}

  const writing_options& options() const { return how_; }
  std::size_t frames() const { return frames_; } // of a window

  struct heard_language {
    std::string code;
    double probability;
  };
  /// The most probable of its languages. There is at least one.
  heard_language language_of(const std::vector<float>& features);

  /// Behind a prompt, at one temperature after another until the text is probable and does not repeat itself.
  window_text write(const std::vector<float>& features, const token_ids& prompt);

  /// What is text of some tokens.
  std::string text_of(std::span<const token_id> ids) const;

private:
  window_text write_at(double temperature, const token_ids& prompt);

  speech_network& network_;
  std::size_t frames_, vocabulary_;
  tokenizer words_;
  const whisper_tokens& tokens_;
  writing_options how_;
  window_reader reader_;
  std::uint64_t drawn_ = 0;
};

} // namespace fovea::programs
