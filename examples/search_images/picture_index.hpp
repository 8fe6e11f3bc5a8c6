#pragma once

#include <picture/image.hpp>
#include <semantic_search/texts.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace search_images {

using semantic_search::content_hash, semantic_search::file_stamp;

struct indexed_picture {
  file_stamp stamp;
  content_hash content;
  std::vector<float> vector; // [width], of length 1
  bool operator==(const indexed_picture&) const = default;
};

/// The vectors of some pictures, by their paths.
struct picture_index {
  content_hash model; // that made it
  std::size_t width = 0;
  std::map<std::string, indexed_picture> pictures;
  bool operator==(const picture_index&) const = default;
};

/// Writes a safetensors file, whole or not at all. Throws fovea::error where the disk refuses.
void save_index(const std::filesystem::path& path, const picture_index& index);
/// None where there is no such file. Throws fovea::error where it is damaged or not an index.
std::optional<picture_index> load_index(const std::filesystem::path& path);

/// What turns pictures into vectors.
struct picture_model {
  content_hash identity;
  std::size_t width;
  std::size_t batch, readers; // how many pictures are embedded at once; how many are read at once
  /// Is called by several threads at once.
  std::function<std::vector<float>(const picture::image& shown)> prepare;
  /// [pictures.size(), width]
  std::function<std::vector<float>(std::span<const std::vector<float>> pictures)> embed;
  /// Is told after each batch how many of the files that had to be read are done, and the index until then: of a search
  /// that ends here, the next goes on from it.
  std::function<void(std::size_t done, std::size_t all, const picture_index& so_far)> progress;
};

struct index_update {
  picture_index index;
  bool changed = false;             // differs from what it was made from
  std::size_t embedded = 0;         // vectors that had to be computed
  std::size_t passed_over = 0;      // files that begin as no picture
  std::vector<std::string> skipped; // a message for each picture that cannot be read
};

/// The index of these files. What `previous` holds is kept: a file of the same path, size and time of change is not read
/// again, and a picture of the same bytes not embedded again, wherever it lies. Throws fovea::error for a file that was
/// named and is no picture.
index_update updated(const picture_index& previous, std::span<const semantic_search::text_file> files,
                     const picture_model& model);

struct hit {
  std::string path;
  float score; // cosine
};

/// The `top` pictures nearest to a vector [width], best first; of equal scores the first by path.
std::vector<hit> nearest(const picture_index& index, std::span<const float> vector, std::size_t top);

} // namespace search_images
