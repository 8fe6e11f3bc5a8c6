#pragma once

#include <fovea/base/file_path.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/weights/packed.hpp>
#include <fovea/weights/stored_tensor.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core {

/// What the reader of a format makes of a weight file. Its structure is checked in full.
struct weight_file {
  std::map<std::string, stored_tensor> tensors;
  std::map<std::string, std::string> metadata;
  /// What the tensors' bytes lie in: the file, and buffers where the format's own numbers or layout had to be changed.
  std::shared_ptr<const mapped_file> mapped;
  std::vector<std::shared_ptr<const void>> kept = {};

  /// Adds a float32 tensor of its own with room for the values that the shape asks for.
  float* add(const std::string& name, std::vector<std::size_t> shape);
};

/// A file as readers take it.
struct opened_file {
  file_path path;
  std::shared_ptr<const mapped_file> mapped;

  std::span<const std::byte> bytes() const { return mapped->bytes(); }
};

/// Opens a weight file of any known format, told by its first bytes. Throws fovea::error that names the file,
/// what was expected and what was found.
weight_file open_weight_file(const file_path& path, load_options how = {});
/// The same of a file's content.
weight_file read_weight_file(const opened_file& file);
/// The format that a file's content is of by its first bytes: "safetensors", "GGUF", "llama2.c", "rwkv.cpp",
/// "RTNeural" (which any JSON is taken for), "word vectors"; empty where it is none.
std::string_view weight_format_name(std::span<const std::byte> file);

} // namespace fovea::core
