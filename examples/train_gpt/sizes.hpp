#pragma once

#include <fovea/models/gpt2.hpp>

#ifndef FOVEA_TRAIN_GPT_VOCABULARY
#define FOVEA_TRAIN_GPT_VOCABULARY 256
#endif

namespace train_gpt {

inline constexpr int vocabulary = FOVEA_TRAIN_GPT_VOCABULARY;

/// For trying things out.
inline constexpr fovea::models::gpt2_config tiny{
    .layers = 1, .heads = 2, .width = 16, .vocab = vocabulary, .context = 16};
/// nanoGPT's for a CPU.
inline constexpr fovea::models::gpt2_config small{
    .layers = 4, .heads = 4, .width = 128, .vocab = vocabulary, .context = 64};
/// nanoGPT's for a GPU.
inline constexpr fovea::models::gpt2_config large{
    .layers = 6, .heads = 6, .width = 384, .vocab = vocabulary, .context = 256};

} // namespace train_gpt
