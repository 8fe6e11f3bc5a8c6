#include "picture_index.hpp"

#include <semantic_search/index_columns.hpp>
#include <semantic_search/text_index.hpp>

#include <fovea/base/error.hpp>
#include <fovea/weights/safetensors.hpp>

#include <algorithm>
#include <cmath>

namespace search_images {
namespace {

using fovea::element_type, fovea::stored_tensor, semantic_search::as_bits, semantic_search::as_number,
    semantic_search::values_of;

// Counts up with every change of the layout below or of how pictures are read.
constexpr const char* format = "fovea search_images 1";

constexpr std::size_t columns = 5; // end of its path in `paths`, size, modified, hash

} // namespace

void save_index(const std::filesystem::path& path, const picture_index& index) {
  std::vector<std::uint8_t> paths;
  std::vector<std::int64_t> pictures;
  std::vector<float> vectors;
  for (const auto& [name, picture] : index.pictures) {
    paths.insert(paths.end(), name.begin(), name.end());
    pictures.insert(pictures.end(), {as_number(paths.size()), picture.stamp.size, picture.stamp.modified,
                                     as_number(picture.content.low), as_number(picture.content.high)});
    vectors.insert(vectors.end(), picture.vector.begin(), picture.vector.end());
  }
  const std::vector<std::int64_t> model{as_number(index.model.low), as_number(index.model.high)};
  const auto bytes_of = [](const auto& values) { return std::as_bytes(std::span(values)); };
  const std::size_t count = index.pictures.size();
  const std::map<std::string, stored_tensor> tensors{
      {"model", {element_type::i64, {1, 2}, bytes_of(model)}},
      {"paths", {element_type::u8, {1, paths.size()}, bytes_of(paths)}},
      {"pictures", {element_type::i64, {count, columns}, bytes_of(pictures)}},
      {"vectors", {element_type::f32, {count, index.width}, bytes_of(vectors)}},
  };
  fovea::save_safetensors(path, tensors,
                          {{"format", format}, {"checksum", semantic_search::checksum(tensors)}});
}

std::optional<picture_index> load_index(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const fovea::core::safetensors_file file(path);
  const auto expect = [&](const char* key, const std::string& expected) {
    const auto found = file.metadata().find(key);
    const std::string value = found == file.metadata().end() ? "" : found->second;
    if (value != expected)
      throw fovea::error(path.string() + ": expected the " + key + " '" + expected + "', found '" + value +
                         "'");
  };
  expect("format", format);
  expect("checksum", semantic_search::checksum(file.tensors()));

  const auto paths = values_of<std::uint8_t>(file, "paths", element_type::u8, 0);
  const auto pictures = values_of<std::int64_t>(file, "pictures", element_type::i64, columns);
  const auto model = values_of<std::int64_t>(file, "model", element_type::i64, 2);
  const auto vectors = values_of<float>(file, "vectors", element_type::f32, 0);

  // The checksum is no secret: what would reach outside a table is refused all the same.
  const auto check = [&](bool right, const char* what) {
    if (!right) throw fovea::error(path.string() + ": " + what);
  };
  check(model.size() == 2, "the model is missing");
  picture_index index{
      .model = {as_bits(model[0]), as_bits(model[1])}, .width = file.at("vectors").shape[1], .pictures = {}};
  check(vectors.size() == pictures.size() / columns * index.width, "a picture has no vector");
  check(std::ranges::all_of(vectors, [](float v) { return std::isfinite(v); }), "a vector is not finite");
  std::size_t begin = 0;
  auto vector = vectors.begin();
  for (auto row = pictures.begin(); row != pictures.end(); row += columns) {
    const std::uint64_t end = as_bits(row[0]);
    check(begin < end && end <= paths.size(), "a picture has no path");
    const auto next = vector + static_cast<std::ptrdiff_t>(index.width);
    index.pictures[std::string(&paths[begin], &paths[begin] + (end - begin))] = {
        {row[1], row[2]}, {as_bits(row[3]), as_bits(row[4])}, {vector, next}};
    begin = end, vector = next;
  }
  return index;
}

} // namespace search_images
