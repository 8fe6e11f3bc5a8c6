#pragma once

#include <fovea/programs/model_terms.hpp>
#include <fovea/programs/number_network.hpp>
#include <fovea/programs/parts.hpp>

namespace fovea::programs {

int stream(number_network_maker network, const program_parts& parts, int count, char** words);

/// The main of a program that moves along sequences of numbers: `streamed` makes a stream of M, one input
/// [B, T, ...] of f32 to one output [B, T, ...].
template <class M, auto streamed>
int stream(const program_parts& parts, int count, char** words) {
  if constexpr (streams_numbers<M>)
    return stream(number_network_of<M, streamed>::make, parts, count, words);
  else
    return refuse_to_stream<M>();
}

} // namespace fovea::programs
