#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tool {

/// What a program that was run left.
struct finished_process {
  int status = 0;     // of its exit
  std::string errors; // its standard error
};

/// Runs a program in a folder, without a shell, and waits for it. Throws failure where it cannot be run.
finished_process run(const std::vector<std::string>& command, const std::filesystem::path& folder);

/// A folder that is there while it lives.
class temporary_folder {
public:
  temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder();
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace tool
