#pragma once

#include <fovea/base/file_path.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/weights/stored_tensor.hpp>

#include <map>
#include <memory>
#include <string>

namespace fovea::core {

/// A safetensors file (https://github.com/huggingface/safetensors#format): an 8-byte little-endian header
/// length, a JSON header, then the tensors' bytes. It is mapped and checked in full by the constructor:
/// header length and JSON, element types, shape against byte range, bounds, overlaps, gaps and duplicate
/// names. Tensor data is not read. Throws fovea::error that names the file, the tensor, what was expected and
/// what was found.
class safetensors_file {
public:
  explicit safetensors_file(const file_path& path);
  /// The same of a file that is mapped already.
  safetensors_file(const file_path& path, std::shared_ptr<const mapped_file> file);

  file_path path() const { return path_; }
  /// By name; the bytes live as long as this object or a copy of it.
  const std::map<std::string, stored_tensor>& tensors() const { return tensors_; }
  /// The texts under `__metadata__`.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// The tensor of that name; throws fovea::error when there is none.
  const stored_tensor& at(const std::string& name) const;

private:
  std::string path_;
  std::shared_ptr<const mapped_file> file_;
  std::map<std::string, stored_tensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// Whether the file begins with the length of a header and the header's '{'.
bool is_safetensors(std::span<const std::byte> file);

/// Writes a file that `safetensors_file` reads, the data aligned to 64 bytes and each tensor to its element.
/// The file appears under `path` whole or not at all: a temporary file beside it is written, flushed to the
/// disk and renamed. Throws fovea::error when a tensor's bytes don't fit its shape or the disk refuses.
void save_safetensors(const file_path& path, const std::map<std::string, stored_tensor>& tensors,
                      const std::map<std::string, std::string>& metadata = {});

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::save_safetensors;
} // namespace fovea
