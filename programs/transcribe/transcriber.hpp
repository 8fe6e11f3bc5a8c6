#pragma once

#include "heard_sound.hpp"
#include "window_writer.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace fovea::programs {

/// What is said from one time to another, in frames of 0.01 s.
struct spoken_text {
  std::size_t begin, end;
  std::string text;
  token_ids ids;
  window_text of; // the window that it was written in
};

/// Writes a whole sound, window after window: each begins where the text of the one before has ended for certain, and goes
/// on with it (Radford et al. 2023, sections 3.8 and 4.5). What it is made of lives as long.
class transcriber {
public:
  /// `beginning` is what the text of each window begins with; `goes_on` says whether it does behind the text before.
  transcriber(const heard_sound& sound, window_writer& writer, const whisper_tokens& tokens,
              token_ids beginning, bool goes_on)
      : sound_(sound), writer_(writer), tokens_(tokens), beginning_(std::move(beginning)), goes_on_(goes_on) {
  }

  bool is_at_end() const { return at_ >= sound_.frames(); }
  /// Up to which frame all is written.
  std::size_t position() const { return at_ < sound_.frames() ? at_ : sound_.frames(); }
  /// The texts of the next window, which may have none.
  std::vector<spoken_text> next();

private:
  std::size_t steps_of(token_id time) const { return static_cast<std::size_t>(time - tokens_.no_times - 1); }
  bool is_time(token_id id) const { return id > tokens_.no_times; }
  token_ids prompt() const;
  spoken_text text_of(std::span<const token_id> ids, std::size_t begin, std::size_t end,
                      const window_text& of) const;
  std::vector<spoken_text> cut(const window_text& written, std::size_t frames);

  const heard_sound& sound_;
  window_writer& writer_;
  const whisper_tokens& tokens_;
  token_ids beginning_, before_; // of the texts before
  bool goes_on_;
  std::size_t at_ = 0;
};

} // namespace fovea::programs
