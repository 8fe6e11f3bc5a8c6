#pragma once

#include <fovea/programs/options.hpp>
#include <fovea/programs/parts.hpp>
#include <fovea/runtime/chat/chat_template.hpp>
#include <fovea/runtime/decoding/next_token.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fovea::programs {

/// How conversations become what a model reads, and what ends its answers.
class chat_form {
public:
  /// `is_written`: the text has what stands around it, as those of published templates have; a tokenizer puts nothing
  /// there. `ends`: tokens that end an answer, beside those of the template; what the tokenizer lacks is never written.
  chat_form(chat_template text, bool is_written, std::span<const token_id> ends, tokenizer words);

  const chat_template& text() const { return text_; }
  token_ids ids_of(const std::string& prompt) const;
  const token_ids& ends() const { return ends_; }
  /// Texts that end an answer where tokens do not.
  const std::vector<std::string>& stops() const { return stops_; }

private:
  chat_template text_;
  bool is_written_;
  token_ids ends_;
  std::vector<std::string> stops_;
  tokenizer words_;
  std::vector<std::pair<std::string, token_id>>
      unread_; // special tokens that the tokenizer does not read in texts
};

/// What a command line says of conversations.
struct chat_choice {
  std::string name = {};           // of a form; empty: what the model's files say
  std::filesystem::path file = {}; // that has a template
};

/// States --chat-template.
void declare_chat_template(CLI::App& app, chat_choice& choice);

/// The form that is chosen, else the template beside the tokenizer or in its GGUF file, else "plain". Throws fovea::error
/// where a template cannot be read.
chat_form chat_form_of(const chat_choice& choice, const options& o, const program_parts& parts,
                       const tokenizer& words);

} // namespace fovea::programs
