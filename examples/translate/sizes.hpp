#pragma once

#include <fovea/models/bahdanau.hpp>
#include <fovea/models/luong.hpp>
#include <fovea/models/transformer.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace translate_program {

// What the program is compiled for; train.py reads the same numbers from `translate --sizes`.
inline constexpr fovea::models::bahdanau_config bahdanau_sizes{
    .source_vocab = 5000, .target_vocab = 4500, .width = 128, .hidden = 192, .alignment = 128, .maxout = 128};
inline constexpr fovea::models::luong_config luong_sizes{
    .source_vocab = 5000, .target_vocab = 4500, .width = 128, .hidden = 192, .layers = 2};
inline constexpr fovea::models::transformer_config transformer_sizes{
    .layers = 2,
    .block = {.heads = 4, .width = 128, .inner = 384},
    .source_vocab = 5000,
    .target_vocab = 4500};

/// "bahdanau", "luong" or "transformer". Throws fovea::error for another name.
nlohmann::json sizes_of(const std::string& model);

} // namespace translate_program
