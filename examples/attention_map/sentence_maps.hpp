#pragma once

#include <picture/attention_map.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace attention_map_program {

inline constexpr int layers = 6, heads = 12; // of MiniLM

struct which_maps {
  int layer = 0, head = 0; // from 1; 0: all
  bool mean = false;       // of the heads of a layer
  bool words = false;      // without [CLS] and [SEP], which many heads rest on; rows sum to less than 1 then
};

/// The self-attention of MiniLM, whose files are in `folder`, over a sentence's pieces: a map for each layer
/// and head asked for. Throws fovea::error for a text that is empty or longer than 128 pieces.
std::vector<picture::attention_map> maps_of_sentence(const std::filesystem::path& folder,
                                                     const std::string& text, const which_maps& which);

} // namespace attention_map_program
