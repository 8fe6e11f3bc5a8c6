#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

/// What systems differ in: files, pages of memory, processors, the terminal. Each system has a folder here that implements
/// these headers, and no other file asks which system it is compiled for.
///
/// Nothing here throws but for want of memory: what fails says so by its value, and leaves the reason in errno.
namespace fovea::core::system {

/// Whether the system has files in memory without reading them.
#ifdef __wasi__
inline constexpr bool maps_files = false;
#else
inline constexpr bool maps_files = true;
#endif

enum class file_kind { regular, folder, pipe, socket, device };

struct file_status {
  file_kind kind;
  std::size_t size; // in bytes
};

/// An open file, which is closed at the end; or none.
class file {
public:
  file() = default;
  explicit file(int descriptor) : descriptor_(descriptor) {}
  ~file();
  file(file&& from) noexcept : descriptor_(from.release()) {}
  file& operator=(file&& from) noexcept {
    std::swap(descriptor_, from.descriptor_);
    return *this;
  }

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// The descriptor, which the caller closes.
  int release() { return std::exchange(descriptor_, -1); }

  std::optional<file_status> status() const;

  /// Bytes read or written: fewer than asked where the file has no more at present, -1 where it fails. At the end of a file
  /// none are read.
  std::ptrdiff_t read(std::span<std::byte> to) const;
  /// A file that grows beyond the process's limit is a failure, and no signal.
  std::ptrdiff_t write(std::span<const std::byte> from) const;
  /// Reads from this place on.
  std::ptrdiff_t read_at(std::size_t offset, std::span<std::byte> to) const;
  bool shorten(std::size_t bytes) const;
  /// Waits until the disk has all that was written.
  bool flush() const;
  /// False where another process has locked it. A file system without locks has none to say so.
  bool lock() const;
  /// So many bytes, more than none, of the file, read where they are touched; null where that fails.
  const std::byte* map(std::size_t bytes) const;

private:
  int descriptor_ = -1;
};

/// Gives back what file::map() gave.
void unmap(const std::byte* bytes, std::size_t size) noexcept;
/// Takes no memory for a part of what file::map() gave, until it is touched again; where the system can't, nothing happens.
void let_go(const std::byte* bytes, std::size_t size) noexcept;

/// Each opens a file, or none. One to read waits for somebody to write, where it is a pipe, unless it is opened at once.
file open_to_read(const std::filesystem::path& path);
file open_at_once(const std::filesystem::path& path);
/// All that is written comes at its end.
file open_to_append(const std::filesystem::path& path);
/// A new file; fails with EEXIST where the name is taken.
file create(const std::filesystem::path& path);
/// A file in this folder without a name, which is gone when it is closed; none where there are no such files, or none that could be
/// given a name.
file create_unnamed(const std::filesystem::path& folder);
/// Another handle of the standard input, which stays open, for bytes as they come.
file standard_input();

/// Names a file without a name; fails with EEXIST where the name is taken.
bool name(const file& unnamed, const std::filesystem::path& path);
/// Gives a file the name of another, which is gone: at every instant one of them has it.
bool replace(const std::filesystem::path& from, const std::filesystem::path& to);
bool remove(const std::filesystem::path& path);
/// Waits until the disk has the names in a folder, where the system can.
bool flush_folder(const std::filesystem::path& folder);

/// What no other process has at the same time.
unsigned long process_number() noexcept;

} // namespace fovea::core::system
