#pragma once

#include "passages.hpp"
#include "texts.hpp"

#include <fovea/weights/stored_tensor.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace semantic_search {

struct indexed_file {
  std::string path;
  file_stamp stamp;
  content_hash content; // zero: passed over, not a text
  bool operator==(const indexed_file&) const = default;
};

/// A passage, the file it is in and the row of its vector. Passages of the same words share a row.
struct indexed_passage : passage {
  std::size_t file, row;
  bool operator==(const indexed_passage&) const = default;
};

/// The passages of some files and their vectors.
struct text_index {
  content_hash model;                    // the weights and tokenizer that made it
  std::size_t width = 0;                 // of a vector
  std::vector<indexed_file> files;       // sorted by path
  std::vector<indexed_passage> passages; // sorted by file and place
  std::vector<content_hash> rows;        // of the tokens behind each vector
  std::vector<float> vectors;            // [rows, width]
  bool operator==(const text_index&) const = default;
};

/// Writes a safetensors file, whole or not at all. Throws fovea::error where the disk refuses.
void save_index(const std::filesystem::path& path, const text_index& index);
/// None where there is no such file. Throws fovea::error where it is damaged or not an index, checksum
/// included.
std::optional<text_index> load_index(const std::filesystem::path& path);
/// What such a file has as its checksum, by its tensors.
std::string checksum(const std::map<std::string, fovea::stored_tensor>& tensors);

using tokens = std::vector<int>;

/// What turns text into vectors.
struct text_model {
  content_hash identity;
  std::size_t width;
  piece_counter pieces;
  std::function<tokens(std::string_view)> encode;
  /// [texts.size(), width]
  std::function<std::vector<float>(std::span<const tokens> texts)> embed;
};

struct index_update {
  text_index index;
  bool changed = false;             // differs from what it was made from
  std::size_t embedded = 0;         // vectors that had to be computed
  std::vector<std::string> skipped; // one message for each file in a folder that was found not to be a text
};

/// The index of these files. What `previous` holds is kept: a file of the same path, size and time of change
/// is not read again, one of the same content not split again, a passage of the same words not embedded
/// again. Throws fovea::error for a file that was named and can't be read as text.
index_update updated(const text_index& previous, std::span<const text_file> files, const text_model& model);

} // namespace semantic_search
