#include "index_columns.hpp"
#include "text_index.hpp"

#include <fovea/weights/safetensors.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace semantic_search {
namespace {

using fovea::element_type;
using fovea::stored_tensor;

// Counts up with every change of the layout below or of how texts are split.
constexpr const char* format = "fovea semantic_search 1";

constexpr std::size_t file_columns = 5;    // end of its path in `paths`, size, modified, hash
constexpr std::size_t passage_columns = 6; // begin, end, first line, last line, file, row

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

} // namespace

std::string checksum(const std::map<std::string, stored_tensor>& tensors) {
  std::string hashes;
  const auto append = [&](content_hash hash) {
    hashes.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  };
  for (const auto& [name, tensor] : tensors)
    append(hash_of({reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()}));
  const content_hash all = hash_of(hashes);
  return std::to_string(all.high) + "-" + std::to_string(all.low);
}

void save_index(const std::filesystem::path& path, const text_index& index) {
  std::vector<std::uint8_t> paths;
  std::vector<std::int64_t> files, passages, rows;
  for (const indexed_file& f : index.files) {
    paths.insert(paths.end(), f.path.begin(), f.path.end());
    files.insert(files.end(), {as_number(paths.size()), f.stamp.size, f.stamp.modified,
                               as_number(f.content.low), as_number(f.content.high)});
  }
  for (const indexed_passage& p : index.passages)
    for (const std::size_t value : {p.begin, p.end, p.first_line, p.last_line, p.file, p.row})
      passages.push_back(as_number(value));
  for (const content_hash& hash : index.rows)
    rows.insert(rows.end(), {as_number(hash.low), as_number(hash.high)});
  const std::vector<std::int64_t> model{as_number(index.model.low), as_number(index.model.high)};

  const std::map<std::string, stored_tensor> tensors{
      {"files", {element_type::i64, {index.files.size(), file_columns}, bytes_of(files)}},
      {"model", {element_type::i64, {1, 2}, bytes_of(model)}},
      {"passages", {element_type::i64, {index.passages.size(), passage_columns}, bytes_of(passages)}},
      {"paths", {element_type::u8, {1, paths.size()}, bytes_of(paths)}},
      {"rows", {element_type::i64, {index.rows.size(), 2}, bytes_of(rows)}},
      {"vectors", {element_type::f32, {index.rows.size(), index.width}, bytes_of(index.vectors)}},
  };
  fovea::save_safetensors(path, tensors, {{"format", format}, {"checksum", checksum(tensors)}});
}

std::optional<text_index> load_index(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const fovea::core::safetensors_file file(path);
  const auto metadata = [&](const char* key) {
    const auto found = file.metadata().find(key);
    return found == file.metadata().end() ? std::string() : found->second;
  };
  if (metadata("format") != format)
    throw fovea::error(path.string() + ": expected the format '" + format + "'; found '" +
                       metadata("format") + "'");
  if (metadata("checksum") != checksum(file.tensors()))
    throw fovea::error(path.string() + ": the checksum does not match the content");

  text_index index;
  const auto paths = values_of<std::uint8_t>(file, "paths", element_type::u8, 0);
  const auto files = values_of<std::int64_t>(file, "files", element_type::i64, file_columns);
  const auto passages = values_of<std::int64_t>(file, "passages", element_type::i64, passage_columns);
  const auto rows = values_of<std::int64_t>(file, "rows", element_type::i64, 2);
  const auto model = values_of<std::int64_t>(file, "model", element_type::i64, 2);
  index.vectors = values_of<float>(file, "vectors", element_type::f32, 0);
  index.width = file.at("vectors").shape[1];

  // The checksum is no secret: what would reach outside a table is refused all the same.
  const auto check = [&](bool right, const char* what) {
    if (!right) throw fovea::error(path.string() + ": " + what);
  };
  check(model.size() == 2, "the model is missing");
  check(index.vectors.size() == rows.size() / 2 * index.width, "a passage has no vector");
  check(std::ranges::all_of(index.vectors, [](float v) { return std::isfinite(v); }),
        "a vector is not finite");
  index.model = {as_bits(model[0]), as_bits(model[1])};
  for (std::size_t i = 0; i < rows.size(); i += 2)
    index.rows.push_back({as_bits(rows[i]), as_bits(rows[i + 1])});
  std::size_t path_begin = 0;
  for (std::size_t i = 0; i < files.size(); i += file_columns) {
    const std::uint64_t path_end = as_bits(files[i]);
    check(path_begin < path_end && path_end <= paths.size(), "a file has no path");
    index.files.push_back({{paths.begin() + static_cast<std::ptrdiff_t>(path_begin),
                            paths.begin() + static_cast<std::ptrdiff_t>(path_end)},
                           {files[i + 1], files[i + 2]},
                           {as_bits(files[i + 3]), as_bits(files[i + 4])}});
    path_begin = path_end;
  }
  std::size_t last_file = 0;
  for (std::size_t i = 0; i < passages.size(); i += passage_columns) {
    std::array<std::size_t, passage_columns> p;
    std::transform(passages.begin() + static_cast<std::ptrdiff_t>(i),
                   passages.begin() + static_cast<std::ptrdiff_t>(i + passage_columns), p.begin(), as_bits);
    const auto [begin, end, first_line, last_line, in_file, row] = p;
    check(begin < end && first_line <= last_line && in_file < index.files.size() && row < index.rows.size() &&
              last_file <= in_file,
          "a passage is out of place");
    last_file = in_file;
    index.passages.push_back({{begin, end, first_line, last_line}, in_file, row});
  }
  return index;
}

} // namespace semantic_search
