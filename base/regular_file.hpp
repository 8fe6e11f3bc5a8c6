#pragma once

#include <cstddef>
#include <filesystem>
#include <fovea/base/file_path.hpp>
#include <fovea/base/system/file.hpp>
#include <span>

namespace fovea::core {

/// A regular file, open for reading. What is none is refused before anything waits for it, as pipes and
/// devices would. Throws fovea::error that names the file and the system's reason.
class regular_file {
public:
  explicit regular_file(const std::filesystem::path& path);

  /// Bytes, as it was opened.
  std::size_t size() const { return size_; }
  const system::file& file() const { return file_; }
  /// The descriptor, which the caller closes.
  int release() { return file_.release(); }

  /// Reads its next bytes; throws when it ends before they do.
  void read(std::span<std::byte> to) const;

private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  system::file file_;
  std::size_t size_ = 0;
};

/// Throws fovea::error: there is not enough memory to read this file.
[[noreturn]] void refuse_memory(const file_path& path);

} // namespace fovea::core
