#pragma once

#include <fovea/programs/speech_network.hpp>
#include <fovea/runtime/decoding/next_token.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace fovea::programs {

struct spoken_language {
  std::string code; // as in <|en|>
  token_id id;
};

/// What the tokens of a Whisper mean. Those that are text come before `end`, times behind `no_times`, 0.02 s apart.
struct whisper_tokens {
  token_id end, start, translate, transcribe;
  token_id before;  // in front of the text of the window before
  token_id silence; // in place of a language, where nobody speaks
  token_id no_times;
  std::vector<spoken_language> languages; // none where it knows but English
  token_ids suppressed, suppressed_first; // never written, and not first
  std::size_t most_first;                 // the greatest time that a text may begin with
  std::size_t context;                    // the longest text, in tokens, with what stands in front of it

  /// What a text begins with. Throws fovea::error that says which languages there are, or that there is but one.
  token_ids beginning(const std::string& language, bool translated, bool with_times) const;
};

/// A tokenizer and a generation_config.json, and what messages call them.
struct whisper_files {
  const tokenizer& words;
  const nlohmann::json& config;
  std::string words_source, config_source;
};
/// Throws fovea::error where they are not those of a Whisper of such sizes.
whisper_tokens whisper_tokens_of(const whisper_files& from, const speech_sizes& sizes);

} // namespace fovea::programs
