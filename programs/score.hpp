#pragma once

#include <fovea/programs/model_terms.hpp>
#include <fovea/programs/next_token_network.hpp>
#include <fovea/programs/parts.hpp>

namespace fovea::programs {

int score(next_token_network_maker network, const program_parts& parts, int count, char** words);

/// The main of a program that says how probable texts are: `streamed` makes a stream of M, tokens [B, T] to logits
/// [B, T, vocab].
template <class M, auto streamed>
int score(const program_parts& parts, int count, char** words) {
  if constexpr (fits<M, terms::score>)
    return score(next_token_network_of<M, streamed>::make, parts, count, words);
  else
    return refuse<M, terms::score>();
}

} // namespace fovea::programs
