#pragma once

// The reference cases of Bahdanau's and Luong's models.

#include "../training/loss_case.hpp"

#include <fovea/models/bahdanau.hpp>
#include <fovea/models/luong.hpp>

namespace fovea::core::test {

using models::bahdanau_config, models::luong_config;

inline constexpr bahdanau_config bahdanau_case{
    .source_vocab = 30, .target_vocab = 34, .width = 10, .hidden = 12, .alignment = 14, .maxout = 8};
inline constexpr bahdanau_config appendix{.source_vocab = 30,
                                          .target_vocab = 34,
                                          .width = 8,
                                          .hidden = 12,
                                          .alignment = 12,
                                          .maxout = 6,
                                          .readout_previous = true};
inline constexpr luong_config feeding{
    .source_vocab = 30, .target_vocab = 34, .width = 10, .hidden = 12, .layers = 2};
inline constexpr luong_config no_feeding{
    .source_vocab = 30, .target_vocab = 34, .width = 10, .hidden = 12, .input_feeding = false};

inline named_values decoder_inputs(const golden_case& c) {
  return inputs_of(c, {{"source", "source_ids"}, {"lengths", "source_lengths"}, {"target", "decoder_ids"}});
}

} // namespace fovea::core::test
