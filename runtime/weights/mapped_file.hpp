#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace fovea {

/// A file mapped read-only for as long as the object lives. Nothing is read until it is touched.
/// Throws fovea::error that names the file and the system's reason when it can't be opened or mapped.
class mapped_file {
public:
  explicit mapped_file(const std::filesystem::path& path);
  ~mapped_file();
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

private:
  std::span<const std::byte> bytes_;
};

} // namespace fovea
