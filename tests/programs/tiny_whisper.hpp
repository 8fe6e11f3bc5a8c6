#pragma once

// The Whisper of the golden case: windows of 0.4 seconds, whose texts have 96 tokens.

#include <fovea/models/whisper.hpp>

namespace tiny_whisper {

inline constexpr fovea::models::whisper_config sizes{.layers = 2,
                                                     .decoder_layers = 2,
                                                     .block = fovea::models::whisper_block(4, 32, 48),
                                                     .vocab = 96,
                                                     .mels = 16,
                                                     .frames = 40,
                                                     .context = 24};
inline constexpr auto speech = fovea::models::whisper<sizes>;

} // namespace tiny_whisper
