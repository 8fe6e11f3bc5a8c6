#pragma once

#include <fovea/weights/weight_file.hpp>

namespace fovea::core {

/// Whether this is a model file of llama2.c (https://github.com/karpathy/llama2.c, export.py): the magic
/// number of versions 1 and 2, or a plausible header of the first format, which has none.
bool is_llama2c(std::span<const std::byte> file);

/// Reads the first format and version 1, float32, where they lie, and version 2, int8 in groups with a scale
/// each, as float32. Tensors are named layer by layer as llama2.c's own model does ("tok_embeddings.weight",
/// "layers.0.attention.wq.weight", "output.weight" where it is no copy of the embeddings); the tables of
/// rotary positions are left out. The header's numbers are metadata ("dim", "n_layers", ...). Throws
/// fovea::error that names the file, what was expected and what was found.
weight_file read_llama2c(const opened_file& file);

} // namespace fovea::core
