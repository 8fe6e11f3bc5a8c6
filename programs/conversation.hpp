#pragma once

#include <fovea/programs/chat_form.hpp>
#include <fovea/programs/next_token_network.hpp>
#include <fovea/programs/text_writer.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fovea::programs {

/// A conversation with a model, by a network that it does not own and that meanwhile does nothing else. What was said
/// before is not read again where its tokens stay the same.
class conversation {
public:
  /// `variables` of the template are an object in JSON, or ""; `system` is what is said first, if anything is; `context` is
  /// the most tokens of it all.
  conversation(next_token_network& network, tokenizer words, chat_form form, std::string variables,
               const std::string& system, std::size_t context);

  /// Writes the answer to what a user says, of at most so many tokens, or of as many as the context leaves. It refers to
  /// `how`. With a grammar, whose ends are those of `ends`, it says what that allows. Throws fovea::error where the template takes no such message, or nothing is left; `place` says where it stands.
  text_writer& answer(const std::string& said, const std::string& place, const sampling_options& how,
                      std::optional<std::size_t> most_tokens, std::vector<std::string> stops,
                      std::optional<token_grammar> grammar = {});
  /// Tokens that end an answer.
  const token_ids& ends() const { return form_.ends(); }
  /// Takes the answer, once it has ended, for what was said.
  void keep(const std::string& answer);

private:
  std::size_t known(const token_ids& ids) const;

  next_token_network& network_;
  tokenizer words_;
  chat_form form_;
  std::string variables_;
  std::size_t context_;
  std::vector<chat_message> said_;
  token_ids read_; // by the network
  std::unique_ptr<text_writer> writer_;
};

} // namespace fovea::programs
