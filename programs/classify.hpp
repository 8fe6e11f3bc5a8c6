#pragma once

#include <fovea/programs/over_texts.hpp>

namespace fovea::programs {

int classify(text_network_maker network, const program_parts& parts, int count, char** words);

/// The main of a program that prints the label of each text: M has the input tokens [B, T], it may have types [B, T]
/// and lengths [B], and the output logits [B, classes].
template <class M, auto compiled>
int classify(const program_parts& parts, int count, char** words) {
  return classify(text_network_of<M, compiled, "logits">::make, parts, count, words);
}

} // namespace fovea::programs
