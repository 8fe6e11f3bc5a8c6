#pragma once

#include <fovea/models/bert.hpp>
#include <fovea/models/kim_cnn.hpp>
#include <fovea/models/rnn.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace classify_program {

// What the program is compiled for; train.py reads the same numbers from `classify --sizes`.
inline constexpr int classes = 8;

/// CNN-rand, as the paper has it.
inline constexpr fovea::models::kim_cnn_config kim_sizes{
    .vocab = 20000, .width = 300, .classes = classes, .filters = 100};
inline constexpr fovea::models::rnn_classifier_config rnn_sizes{.vocab = 20000,
                                                                .width = 100,
                                                                .hidden = 64,
                                                                .classes = classes,
                                                                .pool = fovea::models::pooling::largest,
                                                                .both = true,
                                                                .dropout = 0.5};
inline constexpr fovea::models::bert_config bert_sizes{
    .layers = 2, .heads = 4, .width = 128, .inner = 512, .vocab = 20000, .context = 513, .dropout = 0.1};

/// "kim", "rnn" or "bert". Throws fovea::error for another name.
nlohmann::json sizes_of(const std::string& model);

} // namespace classify_program
