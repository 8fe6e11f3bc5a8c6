#pragma once

#include <fovea/base/file_path.hpp>
#include <fovea/weights/gguf_metadata.hpp>
#include <fovea/weights/stored_tensor.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fovea::core {

/// A GGUF file (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md), version 2 or 3: pairs of key and
/// value, the tensors' names, shapes, types and places, then their data, each tensor aligned. It is mapped
/// and checked in full by the constructor; tensor data is not read. Tensors of F64, F32, F16, BF16, Q8_0,
/// Q4_0, Q4_1, Q5_0, Q5_1, Q2_K to Q6_K and integers are known. Throws fovea::error that names the file, the
/// key or tensor, what was expected and what was found.
class gguf_file {
public:
  explicit gguf_file(const file_path& path);
  /// The same of a file that is mapped already.
  gguf_file(const file_path& path, std::shared_ptr<const mapped_file> file);

  const gguf_metadata& metadata() const { return metadata_; }
  /// In the file's order; shapes row-major, the last axis fastest (the file writes them the other way round).
  /// The bytes live as long as this object or a copy of it.
  const std::vector<std::pair<std::string, stored_tensor>>& tensors() const { return tensors_; }

private:
  std::shared_ptr<const mapped_file> file_;
  gguf_metadata metadata_;
  std::vector<std::pair<std::string, stored_tensor>> tensors_;
};

/// Whether the file begins with GGUF.
bool is_gguf(std::span<const std::byte> file);

/// Writes a file of version 3 that `gguf_file` reads, and llama.cpp's tools and gguf-py too; each tensor is
/// aligned as the key "general.alignment" says, or to 32 bytes. It appears under `path` whole or not at all,
/// as save_safetensors has it. Names may be of any length, though ggml reads no longer ones than 63 bytes.
/// Throws fovea::error that names the tensor where it has no name, more than four axes, a type that the
/// format lacks (U8, BOOL), bytes that don't fit its shape or a value that is NaN or infinite, and where the
/// disk refuses.
void save_gguf(const file_path& path, const std::map<std::string, stored_tensor>& tensors,
               const gguf_metadata& metadata = {});

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::save_gguf;
} // namespace fovea
