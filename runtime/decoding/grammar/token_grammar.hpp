#pragma once

#include <fovea/runtime/decoding/grammar/byte_grammar.hpp>
#include <fovea/runtime/decoding/grammar/grammar_states.hpp>
#include <fovea/runtime/decoding/grammar/token_spellings.hpp>
#include <fovea/runtime/decoding/next_token.hpp>

#include <memory>
#include <span>

namespace fovea::core {

/// Which tokens may come next in a text that a grammar allows, a filter of scores (filtered_scores): all others become
/// minus infinity. The text is what decoding makes of the written ids alone, without the prompt:
///
///   const token_spellings spelled(words);
///   filtered_scores source(reader, token_grammar(json_schema(schema), spelled, {end}, prompt.size()));
///
/// Copies share what they have found out; all of them together serve one thread at a time.
class token_grammar {
public:
  /// `end`: tokens that may come where a text may end, and nowhere else. `prompt`: how many ids a text is gone on with;
  /// nothing changes before them.
  token_grammar(byte_grammar says, token_spellings spelled, token_ids end, std::size_t prompt = 1);

  /// Throws fovea::error where no token may come, or `read` holds one that might not.
  void operator()(std::span<const token_id> read, std::span<float> scores);

  // Of what is written, without a prompt. Each throws fovea::error where it holds a token that might not come.

  /// The scores of a row, changed; valid until the next call.
  token_scores allowed(const token_scores& scores, std::size_t row, std::span<const token_id> written);
  /// The ids that may come, in ascending order.
  token_ids allowed(std::span<const token_id> written);
  /// Whether a text may end here.
  bool may_end(std::span<const token_id> written);
  /// Whether it ends here: nothing else may come.
  bool has_to_end(std::span<const token_id> written);

private:
  struct shared;
  /// How far a text was read: one that goes on with it is read from there on.
  struct reading {
    token_ids ids;
    grammar::states::state at = grammar::states::nowhere;
    std::size_t forgotten = 0; // how often states had been, which are others since
  };

  std::shared_ptr<shared> shared_;
  reading last_;
  std::size_t prompt_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::token_grammar;
} // namespace fovea
