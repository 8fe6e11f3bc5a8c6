#pragma once

#include <fovea/programs/model_terms.hpp>
#include <fovea/programs/next_token_network.hpp>
#include <fovea/programs/parts.hpp>

namespace fovea::programs {

int generate(next_token_network_maker network, const program_parts& parts, int count, char** words);

/// The main of a program that goes on with texts: `streamed` makes a stream of M, tokens [B, T] to logits [B, T, vocab],
/// or [B, vocab] for the last position alone, which reads prompts faster. With `looks_up` it takes the first, and the option
/// --prompt-lookup.
template <class M, auto streamed, bool looks_up = false>
int generate(const program_parts& parts, int count, char** words) {
  if constexpr (fits<M, terms::generate>)
    return generate(next_token_network_of<M, streamed, looks_up>::make, parts, count, words);
  else
    return refuse<M, terms::generate>();
}

} // namespace fovea::programs
