#pragma once

#include <cstddef>
#include <filesystem>
#include <fovea/base/system/file.hpp>
#include <span>

namespace fovea::core {

/// A file that gets its name, `path`, when it is whole: at every instant `path` is what it was, or whole.
/// Until then it has no name, where the file system knows such files, so that a program that is killed leaves
/// nothing behind; elsewhere it has one of its own beside `path`. Throws fovea::error that names the path and
/// the system's reason.
class temporary_file {
public:
  explicit temporary_file(const std::filesystem::path& path);
  ~temporary_file();
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  /// A file that grows beyond the process's limit (RLIMIT_FSIZE) is an error too, and no signal.
  void write(std::span<const std::byte> bytes);
  /// Flushes it to disk, gives it the name `path`, and flushes the folder, which holds the name.
  void commit();

private:
  void link();
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_, folder_;
  std::filesystem::path name_; // of its own, removed without memory for a path
  system::file file_;
};

} // namespace fovea::core
