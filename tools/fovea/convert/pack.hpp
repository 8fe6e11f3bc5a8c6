#pragma once

#include "../compiled_program.hpp"

#include <fovea/weights/weight_format.hpp>

#include <cstddef>
#include <filesystem>
#include <string>

namespace tool::convert {

/// What is packed, for whom.
struct packing {
  std::filesystem::path from, to, tokenizer;
  model_source of;
  fovea::core::weight_format format = fovea::core::weight_format::f32;
  std::string set; // empty: the best of this machine
};

/// What a packed file holds.
struct packed_report {
  std::string set;
  std::size_t panels = 0, panel_bytes = 0; // matrices
  std::size_t others = 0, other_bytes = 0; // in float32
  std::size_t tables = 0, table_bytes = 0; // of the tokenizer
};

/// The tokenizer that packed weights carry where none is named: the tokenizer.json beside them, if it can be packed, or what
/// their GGUF file has, for which it is empty.
std::filesystem::path tokenizer_beside(const std::filesystem::path& weights);

/// Writes weights as a model reads them in a format and an instruction set that runs here: the user's compiler makes a
/// program of the model, which packs them and their tokenizer. The output appears whole or not at all. Throws failure, or
/// fovea::error, that names what is wrong with the header, the model, the weights or the set.
packed_report write_packed(const packing& asked);

} // namespace tool::convert
