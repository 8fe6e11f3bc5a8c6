#pragma once

#include <fovea/programs/model_terms.hpp>
#include <fovea/programs/next_token_network.hpp>
#include <fovea/programs/parts.hpp>

namespace fovea::programs {

int translate(next_token_network_maker network, const program_parts& parts, int count, char** words);

/// The main of a program that translates texts: `streamed` makes a stream of M, source [B, S], lengths [B] and
/// target [B, T] to logits [B, T, vocab], or [B, vocab] for the last position alone.
template <class M, auto streamed>
int translate(const program_parts& parts, int count, char** words) {
  if constexpr (fits<M, terms::translate>)
    return translate(next_token_network_of<M, streamed>::make, parts, count, words);
  else
    return refuse<M, terms::translate>();
}

} // namespace fovea::programs
