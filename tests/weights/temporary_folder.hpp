#pragma once

#include "../message_of.hpp"
#include "../system/system.hpp"

#include <fovea/base/file_path.hpp>
#include <fovea/base/system/file.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

/// A folder of its own for one test, removed at its end. Its name has characters that few encodings share.
class temporary_folder {
public:
  temporary_folder() {
    static std::atomic<unsigned> count{0};
    const std::filesystem::path all = std::filesystem::temp_directory_path();
    do {
      path_ = all / of_text("fovea é 重み " + std::to_string(fovea::core::system::process_number()) + " " +
                            std::to_string(count++));
    } while (!std::filesystem::create_directory(path_));
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / of_text(name); }
  const std::filesystem::path& path() const { return path_; }

  /// Writes a file into the folder and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = *this / name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

private:
  static std::filesystem::path of_text(const std::string& name) { return fovea::core::file_path(name); }

  std::filesystem::path path_;
};

/// Calls f with a path of each kind that is no regular file, and with what a message calls it.
template <typename function>
void for_each_irregular(const temporary_folder& folder, function f) {
  for (const auto& [path, kind] : fovea::core::test::irregular_files(folder.path()))
    f(path, ": expected a regular file; found " + kind);
}

/// Lists within lists, or objects within objects, of 1 MB: far more than a walk that calls itself would
/// stand.
inline std::string deep_lists() {
  constexpr std::size_t depth = 1 << 19;
  return std::string(depth, '[') + std::string(depth, ']');
}
inline std::string deep_objects() {
  std::string text;
  constexpr std::size_t depth = 1 << 17;
  for (std::size_t i = 0; i < depth; ++i) text += R"({"type":"Sequence","normalizers":[)";
  for (std::size_t i = 0; i < depth; ++i) text += "]}";
  return text;
}

/// The bytes of a safetensors file with this header text and this data.
inline std::string safetensors_bytes(const std::string& header, const std::string& data) {
  std::string file;
  for (std::size_t i = 0; i < 8; ++i)
    file += static_cast<char>((static_cast<std::uint64_t>(header.size()) >> (8 * i)) & 0xff);
  return file + header + data;
}
