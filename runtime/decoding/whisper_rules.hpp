#pragma once

#include <fovea/runtime/decoding/next_token.hpp>

#include <limits>
#include <optional>

namespace fovea::core {

/// What Whisper writes of times (Radford et al. 2023, section 4.5): tokens of 0.02 seconds each, the last of the
/// vocabulary.
///   none        the token that says "no times" (<|notimestamps|>); that of 0.00 is the next one
///   end         the token that ends a text; words come before it
///   most_first  the greatest time that a text may begin with, in steps of 0.02 seconds
struct whisper_times {
  token_id none, end;
  std::size_t most_first = std::numeric_limits<std::size_t>::max();
};

/// Which tokens Whisper may say next, a filter of scores (filtered_scores): all others become minus infinity.
///   prompt            how many ids each text is gone on with; nothing changes before them
///   forced            ids that come first, in this order (the language, the task)
///   suppressed        never said
///   suppressed_first  not said first, after the forced ones
///   times             the rules of times: a text begins with one; they stand in pairs but before the end, do not
///                     decrease, and come where they are more probable together than any other token. They are those of
///                     OpenAI's ApplyTimestampRules and of transformers' WhisperTimeStampLogitsProcessor
/// They apply in this order, each to what those before have left.
struct whisper_rules {
  std::size_t prompt = 1;
  token_ids forced = {};
  token_ids suppressed = {};
  token_ids suppressed_first = {};
  std::optional<whisper_times> times = {};

  /// Throws fovea::error where a token is outside the scores.
  void operator()(std::span<const token_id> read, std::span<float> scores) const;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::whisper_rules, core::whisper_times;
} // namespace fovea
