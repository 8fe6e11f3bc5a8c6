#pragma once

#include <fovea/programs/next_token_network.hpp>
#include <fovea/programs/parts.hpp>
#include <fovea/runtime/decoding/beam_search.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace fovea::programs {

/// Translates texts of at most `longest` tokens by a network, which it does not own.
class translator {
public:
  /// Throws fovea::error where a tokenizer lacks a token that the program is built with.
  translator(next_token_network& network, tokenizer source, tokenizer target, const program_parts& parts,
             std::size_t longest);

  /// The likeliest translations of a text, in at most so many tokens; 0: as many as a text may have. Throws fovea::error
  /// where it has no tokens or too many; `place` says where it stands.
  std::vector<hypothesis> operator()(const std::string& text, const std::string& place,
                                     const beam_options& how, std::size_t most_tokens);
  std::string text_of(const hypothesis& h) const { return target_.decode(h.ids); }

private:
  token_ids source_ids(const std::string& text, const std::string& place) const;

  next_token_network& network_;
  tokenizer source_, target_;
  std::size_t longest_;
  std::size_t around_ = source_.encode("").ids.size(); // tokens that the tokenizer puts around a text
  token_id begin_, source_end_;
  token_ids end_;
};

} // namespace fovea::programs
