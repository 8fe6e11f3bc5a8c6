#pragma once

// Small models of the catalogue, on which several laws are checked.

#include <fovea/models/gpt2.hpp>
#include <fovea/models/llama.hpp>
#include <fovea/models/rwkv.hpp>
#include <fovea/models/t5.hpp>
#include <fovea/models/tcn.hpp>
#include <fovea/models/transformer.hpp>

namespace fovea::models {

inline constexpr gpt2_config small_gpt2{.layers = 3, .heads = 3, .width = 48, .vocab = 30, .context = 80};
inline constexpr llama_config small_llama{
    .layers = 2, .heads = 6, .kv_heads = 2, .width = 48, .inner = 80, .vocab = 30};
inline constexpr transformer_config small_transformer{
    .layers = 2, .block = {.heads = 3, .width = 48, .inner = 80}, .source_vocab = 30, .target_vocab = 31};
inline constexpr transformer_language_model_config small_decoder{
    .layers = 2, .block = {.heads = 3, .width = 48, .inner = 80}, .vocab = 30};
inline constexpr t5_config small_t5{
    .layers = 2, .heads = 3, .head_width = 12, .width = 48, .inner = 80, .vocab = 30};
inline constexpr tcn_config small_tcn{.blocks = 4, .in = 6, .channels = 36};
inline constexpr wavenet_config small_wavenet{.blocks = 4, .classes = 16, .residual = 20, .skip = 33};
template <rwkv_version version>
inline constexpr rwkv_config uneven_rwkv{.version = version,
                                         .layers = 3,
                                         .width = 15,
                                         .inner = 22,
                                         .vocab = 13,
                                         .heads = 3,
                                         .decay_rank = 4,
                                         .rate_rank = 3,
                                         .value_rank = 2,
                                         .gate_rank = 6,
                                         .logarithm_of_rate = true};

} // namespace fovea::models
