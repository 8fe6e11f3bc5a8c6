#pragma once

#include <fovea/programs/model_terms.hpp>
#include <fovea/programs/over_texts.hpp>

namespace fovea::programs {

int embed(text_network_maker network, const program_parts& parts, int count, char** words);

/// The main of a program that prints a vector for each text: M has the input tokens [B, T], it may have types [B, T]
/// and lengths [B], and the output sentence [B, width].
template <class M, auto compiled>
int embed(const program_parts& parts, int count, char** words) {
  if constexpr (fits<M, terms::embed>)
    return embed(text_network_of<M, compiled, "sentence">::make, parts, count, words);
  else
    return refuse<M, terms::embed>();
}

} // namespace fovea::programs
