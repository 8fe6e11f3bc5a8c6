#pragma once

#include <fovea/models/kim_cnn.hpp>
#include <fovea/models/rnn.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace classify_program {

// What the program is compiled for; train.py reads the same numbers from `classify --sizes`.
inline constexpr fovea::models::kim_cnn_config cnn_sizes{
    .vocab = 20000, .width = 100, .classes = 8, .filters = 64};
inline constexpr fovea::models::rnn_classifier_config rnn_sizes{.vocab = 20000,
                                                                .width = 100,
                                                                .hidden = 64,
                                                                .classes = 8,
                                                                .pool = fovea::models::pooling::largest,
                                                                .both = true};

/// "cnn" or "rnn". Throws fovea::error for another name.
nlohmann::json sizes_of(const std::string& model);

} // namespace classify_program
