#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include <fovea/base/file_path.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/weights/gguf_metadata.hpp>
#include <fovea/weights/stored_tensor.hpp>
#include <fovea/weights/weights.hpp>

namespace fovea::core {

/// An instruction set, and how many columns its panels have.
struct panel_set {
  std::string name;
  std::size_t panel;
};

/// Writes a model's parameters as the engine for an instruction set reads them (packed_weights.hpp): those that `format` is
/// for in panels of that format and set, all others as float32. What load_weights makes of the file gives the same numbers
/// as `source` does, bit for bit, in every set. The keys and what is beside the weights are written too. The file appears
/// whole or not at all. Throws fovea::error where source and model do not fit, a value is not finite or beyond the format,
/// or the disk refuses.
void save_packed(const file_path& path, const graph_view& declared, const model_weights& source,
                 std::span<const name_rule> names, weight_format format, const panel_set& set,
                 gguf_metadata keys = {}, std::map<std::string, stored_tensor> beside = {});

/// What a packed file says of what it was made of: the keys of a GGUF file, its tokenizer among them. Throws fovea::error
/// where that cannot be read.
gguf_metadata keys_for_packed(const file_path& from);

} // namespace fovea::core
