#pragma once

// Small models of the catalogue beside those of small_models.hpp: one of each kind.

#include "small_models.hpp"

#include <fovea/models/bahdanau.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/models/char_lm.hpp>
#include <fovea/models/kim_cnn.hpp>
#include <fovea/models/luong.hpp>
#include <fovea/models/mamba.hpp>
#include <fovea/models/ngram.hpp>
#include <fovea/models/rnn.hpp>
#include <fovea/models/sagan.hpp>
#include <fovea/models/self_attention.hpp>
#include <fovea/models/seq2seq.hpp>
#include <fovea/models/silero_vad.hpp>
#include <fovea/models/vit.hpp>
#include <fovea/models/window_lm.hpp>

namespace fovea::models {

inline constexpr bert_config small_bert{
    .layers = 2, .heads = 3, .width = 48, .inner = 80, .vocab = 30, .context = 80};
inline constexpr dense_ngram_config small_ngram{.order = 3, .vocabulary = 7};
inline constexpr kim_cnn_config small_kim_cnn{.vocab = 30, .width = 20, .classes = 3, .filters = 40};
inline constexpr sagan_config small_sagan{.filters = 5, .value_filters = 9, .output_convolution = true};
inline constexpr vit_config small_vit{
    .layers = 2, .heads = 3, .width = 48, .inner = 80, .image = 20, .patch = 4, .classes = 7};
inline constexpr rnn_config small_rnn{.vocab = 30, .width = 12, .hidden = 20, .layers = 2},
    large_rnn{.vocab = 30, .width = 40, .hidden = 120, .cell = cell_kind::gru};
inline constexpr mamba_config small_mamba{
    .layers = 2, .width = 20, .inner = 40, .vocab = 30, .state = 8, .rank = 3};
template <rwkv_version version>
inline constexpr rwkv_config small_rwkv{.version = version,
                                        .layers = 2,
                                        .width = 24,
                                        .inner = 40,
                                        .vocab = 30,
                                        .heads = 3,
                                        .decay_rank = 5,
                                        .rate_rank = 3,
                                        .value_rank = 2,
                                        .gate_rank = 6};
inline constexpr rnn_classifier_config small_classifier{
    .vocab = 30, .width = 12, .hidden = 20, .classes = 3, .pool = pooling::largest, .both = true};
inline constexpr rnn_tagger_config small_tagger{.vocab = 30, .width = 12, .hidden = 20, .tags = 5};
inline constexpr window_lm_config small_window{.vocab = 30, .width = 12, .hidden = 20, .window = 3};
inline constexpr char_lm_config small_char_lm{.characters = 7,
                                              .character_width = 5,
                                              .word_length = 6,
                                              .widths = {2, 3},
                                              .filters = {9, 12},
                                              .vocab = 30,
                                              .hidden = 20};
inline constexpr bahdanau_config small_bahdanau{
    .source_vocab = 30, .target_vocab = 31, .width = 12, .hidden = 20, .alignment = 9, .maxout = 7};
inline constexpr luong_config small_luong{
    .source_vocab = 30, .target_vocab = 31, .width = 12, .hidden = 20, .layers = 2},
    local_luong{.source_vocab = 30,
                .target_vocab = 31,
                .width = 12,
                .hidden = 20,
                .mode = attention_mode::kind::local_p,
                .half_window = 3,
                .local_width = 9};

} // namespace fovea::models
