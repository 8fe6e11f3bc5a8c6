#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace fovea {

/// A file under a temporary name beside `path`, removed unless it is committed: at every instant `path` is
/// what it was, or whole. Throws fovea::error that names the path and the system's reason.
class temporary_file {
public:
  explicit temporary_file(const std::filesystem::path& path);
  ~temporary_file();
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  void write(std::span<const std::byte> bytes);
  /// Flushes it to disk and gives it the name `path`.
  void commit();

private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::string name_;
  int descriptor_;
};

} // namespace fovea
