#pragma once

#include <fovea/weights/weight_file.hpp>

namespace fovea::core {

/// Whether the file begins with the magic number of rwkv.cpp (https://github.com/RWKV/rwkv.cpp,
/// docs/FILE_FORMAT.md).
bool is_rwkv_cpp(std::span<const std::byte> file);

/// Reads a model of rwkv.cpp, version 100 or 101, of float32 and float16: tensors under the file's names,
/// shapes row-major (the file writes them the other way round), and the header's numbers as metadata
/// ("n_vocab", "n_embed", "n_layer"). Throws fovea::error that names the file, the tensor, what was expected
/// and what was found.
weight_file read_rwkv_cpp(const opened_file& file);

} // namespace fovea::core
