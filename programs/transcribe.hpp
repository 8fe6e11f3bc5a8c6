#pragma once

#include <fovea/programs/model_terms.hpp>
#include <fovea/programs/parts.hpp>
#include <fovea/programs/speech_network.hpp>

namespace fovea::programs {

/// What is made of a model, and of programs/hearing.hpp in front of it.
struct speech_makers {
  speech_network_maker network;
  speech_hearing_maker hearing;
  speech_sizes sizes;
};

int transcribe(const speech_makers& make, const program_parts& parts, int count, char** words);

/// The main of a program that writes what is said in a recording, as Whisper does: `streamed` makes a stream of M, features
/// [B, frames, mels] and decoder_ids [B, T] to logits [B, T, vocab], or [B, vocab] for the last position alone; `heard` makes
/// a net of programs/hearing.hpp for as many mels.
template <class M, auto streamed, auto heard>
int transcribe(const program_parts& parts, int count, char** words) {
  if constexpr (fits<M, terms::transcribe>)
    return transcribe(
        {speech_network_of<M, streamed>::make, speech_hearing_of<heard>::make, speech_sizes_of<M>}, parts,
        count, words);
  else
    return refuse<M, terms::transcribe>();
}

} // namespace fovea::programs
