#pragma once

#include <fovea/base/mapped_file.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/weights/gguf.hpp>

#include <memory>

namespace fovea::core {

// A file of packed weights (packed_weights.hpp) may carry a tokenizer: its tokenizer.json without vocabulary and merges as a
// key, and as tensors the tables in which it looks up, which are used where they lie.

/// Whether a GGUF file with these keys carries a tokenizer so.
bool has_packed_tokenizer(const gguf_metadata& keys);
/// The one in a file, which is held as long as the tokenizer lives. Throws fovea::error that names the file and what in it is
/// missing or malformed: no text makes a tokenizer reach beyond its tables.
tokenizer packed_tokenizer_in(const gguf_file& file, std::shared_ptr<const mapped_file> held);

} // namespace fovea::core
