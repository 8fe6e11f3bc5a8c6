#pragma once

#include <fovea/programs/over_texts.hpp>

namespace fovea::programs {

int embed(text_network_maker network, const program_parts& parts, int count, char** words);

/// The main of a program that prints a vector for each text: M has the input tokens [B, T], it may have types [B, T]
/// and lengths [B], and the output sentence [B, width].
template <class M, auto compiled>
int embed(const program_parts& parts, int count, char** words) {
  return embed(text_network_of<M, compiled, "sentence">::make, parts, count, words);
}

} // namespace fovea::programs
