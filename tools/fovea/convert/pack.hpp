#pragma once

#include "../compiled_program.hpp"

#include <fovea/weights/weight_format.hpp>

#include <cstddef>
#include <filesystem>
#include <string>

namespace tool::convert {

/// What is packed, for whom.
struct packing {
  std::filesystem::path from, to;
  model_source of;
  fovea::core::weight_format format = fovea::core::weight_format::f32;
  std::string set; // empty: the best of this machine
};

/// What a packed file holds.
struct packed_report {
  std::string set;
  std::size_t panels = 0, panel_bytes = 0; // matrices
  std::size_t others = 0, other_bytes = 0; // in float32
};

/// Writes weights as a model reads them in a format and an instruction set that runs here: the user's compiler makes a
/// program of the model, which packs them. The output appears whole or not at all. Throws failure, or fovea::error, that
/// names what is wrong with the header, the model, the weights or the set.
packed_report write_packed(const packing& asked);

} // namespace tool::convert
