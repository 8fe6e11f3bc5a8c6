#pragma once

#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <string>

namespace fovea::core {

/// A text that grows token by token, for printing tokens as they come. What `add` and `finish` return,
/// joined, is what `tokenizer::decode` makes of the same ids.
///
///     text_stream text(tokens);
///     greedy(model, prompt, where, [&](const generated_token& t) { std::cout << text.add(t.id); return true;
///     }); std::cout << text.finish();
class text_stream {
public:
  explicit text_stream(tokenizer tokens, bool skip_special = true)
      : tokens_(std::move(tokens)), skip_special_(skip_special) {}

  /// What there is to print now: whole characters; the bytes of an unfinished one are held back. Throws
  /// fovea::error for an id outside the vocabulary.
  std::string add(token_id id);
  /// What was held back, as U+FFFD, since nothing completes it. The next token begins a new text.
  std::string finish();

private:
  tokenizer tokens_;
  bool skip_special_;
  bool first_ = true;
  std::string bytes_; // of an unfinished character
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::text_stream;
} // namespace fovea
