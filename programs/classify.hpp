#pragma once

#include <fovea/programs/model_terms.hpp>
#include <fovea/programs/over_texts.hpp>

namespace fovea::programs {

int classify(text_network_maker network, const program_parts& parts, int count, char** words);

/// The main of a program that prints the label of each text: M has the input tokens [B, T], it may have types [B, T]
/// and lengths [B], and the output logits [B, classes].
template <class M, auto compiled>
int classify(const program_parts& parts, int count, char** words) {
  if constexpr (fits<M, terms::classify>)
    return classify(text_network_of<M, compiled, "logits">::make, parts, count, words);
  else
    return refuse<M, terms::classify>();
}

} // namespace fovea::programs
