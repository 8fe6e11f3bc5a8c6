#pragma once

#include <fovea/base/error.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace semantic_search {

/// A file to search. What the user named itself must be a text; in a folder, other files are passed over.
struct text_file {
  std::filesystem::path path;
  bool named;
};

/// The files under these paths, sorted: folders recursively without hidden entries and without following
/// links to folders; each real file once, under its own name where that is among them. Throws fovea::error
/// where a path does not exist or is neither a file nor a folder.
std::vector<text_file> find_texts(std::span<const std::filesystem::path> paths);

/// A file's bytes are no text; the message names the file and why.
class not_a_text : public fovea::error {
  using fovea::error::error;
};

/// Throws not_a_text, or fovea::error where the file can't be read.
std::string read_text(const std::filesystem::path& path);

/// XXH3, 128 bits.
struct content_hash {
  std::uint64_t low = 0, high = 0;
  auto operator<=>(const content_hash&) const = default;
};
content_hash hash_of(std::string_view bytes);

/// What shows at a glance whether a file was changed.
struct file_stamp {
  std::int64_t size = 0, modified = 0; // bytes; nanoseconds since the epoch
  bool operator==(const file_stamp&) const = default;
};
file_stamp stamp_of(const std::filesystem::path& path);

} // namespace semantic_search
