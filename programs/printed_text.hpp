#pragma once

#include <fovea/runtime/tokenizers/text_stream.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::programs {

/// A text that is printed as its tokens come, up to the first stop string. What may be the beginning of one
/// is held back until the next token decides.
class printed_text {
public:
  using sink = std::function<void(std::string_view)>;

  printed_text(fovea::tokenizer words, std::vector<std::string> stops, sink print)
      : spelled_(std::move(words)), stops_(std::move(stops)), print_(std::move(print)) {}

  /// Prints a token of the prompt, where stop strings may occur.
  void add_prompt(fovea::token_id id) { print_(spelled_.add(id)); }
  /// What comes next is spelled as what begins a text.
  void begin_anew() { print_(spelled_.finish()); }
  /// Prints a token that was generated; false once the text holds a stop string.
  bool add(fovea::token_id id) { return take(spelled_.add(id)); }
  /// Prints what was held back.
  void finish();

private:
  bool take(const std::string& piece);

  fovea::text_stream spelled_;
  std::vector<std::string> stops_;
  sink print_;
  std::string held_;
  bool stopped_ = false;
};

} // namespace fovea::programs
