#include <fovea/runtime/weights/mapped_file.hpp>

#include <fovea/backends/memory.hpp>
#include <fovea/runtime/error.hpp>
#include <fovea/runtime/weights/regular_file.hpp>

#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <system_error>

#include <sys/mman.h>

namespace fovea::core {
namespace {

std::span<const std::byte> copy_of(const regular_file& file, const std::filesystem::path& path) {
  const std::size_t size = file.size();
  std::unique_ptr<void, decltype(&free_lines)> memory(nullptr, &free_lines);
  try {
    memory.reset(allocate_lines(size));
  } catch (const std::bad_alloc&) {
    refuse_memory(path);
  }
  const std::span bytes(static_cast<std::byte*>(memory.get()), size);
  file.read(bytes);
  memory.release();
  return bytes;
}

std::span<const std::byte> mapping_of(const regular_file& file, const std::filesystem::path& path) {
  if (file.size() == 0) return {}; // mmap refuses a length of zero
  void* address = ::mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (address == MAP_FAILED) {
    const int reason = errno;
    throw error(path.string() + ": cannot map: " + std::generic_category().message(reason));
  }
  return {static_cast<const std::byte*>(address), file.size()};
}

} // namespace

mapped_file::mapped_file(const std::filesystem::path& path, load_options how) : copied_(how.copy) {
  const regular_file file(path);
  bytes_ = copied_ ? copy_of(file, path) : mapping_of(file, path);
}

mapped_file::~mapped_file() {
  auto* memory = const_cast<std::byte*>(bytes_.data());
  if (copied_)
    free_lines(memory);
  else if (!bytes_.empty())
    ::munmap(memory, bytes_.size());
}

} // namespace fovea::core
