#pragma once

#include <fovea/programs/next_token_network.hpp>
#include <fovea/programs/printed_text.hpp>
#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/decoding/grammar/token_grammar.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fovea::programs {

/// Goes on with one text, token by token, by a network that it does not own and that meanwhile does nothing else.
class text_writer {
public:
  /// The network has read so many of the prompt's ids, and nothing else since it began; not all. With a grammar the text
  /// is spelled by itself, and not as what goes on with the prompt. Throws fovea::error where an option is out of its
  /// range.
  text_writer(next_token_network& network, const tokenizer& words, token_ids prompt,
              const sampling_options& how, const stopping_options& until, std::vector<std::string> stops,
              std::size_t read = 0, std::optional<token_grammar> grammar = {});
  text_writer(const text_writer&) = delete;
  text_writer& operator=(const text_writer&) = delete;

  /// Draws the next token, and returns the text that it brings, which may be empty; nothing once the text has ended.
  std::optional<std::string> next();

  /// How the prompt itself is spelled.
  const std::string& prompt() const { return prompt_; }
  /// What the network has read.
  const token_ids& read() const { return read_; }
  /// What is written so far.
  const hypothesis& written() { return text_.result(); }
  /// Whether it has ended before a stop string. A grammar ends a text as an end token does.
  bool stopped() const { return stopped_; }

private:
  next_token_network& network_;
  const sampling_options how_;
  const stopping_options until_;
  std::optional<token_grammar> grammar_;
  const token_callback each_;
  token_ids read_, unread_;
  std::string piece_, prompt_;
  printed_text spelled_;
  core::detail::sampled_text text_;
  bool stopped_ = false;
};

} // namespace fovea::programs
