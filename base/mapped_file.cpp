#include <fovea/base/mapped_file.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/memory.hpp>
#include <fovea/base/regular_file.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <system_error>

namespace fovea::core {
namespace {

/// Memory that `fill` is given to fill.
template <class F>
std::span<const std::byte> filled(std::size_t size, const std::filesystem::path& path, F fill) {
  std::unique_ptr<void, decltype(&free_lines)> memory(nullptr, &free_lines);
  try {
    memory.reset(allocate_lines(size));
  } catch (const std::bad_alloc&) {
    refuse_memory(path);
  }
  const std::span bytes(static_cast<std::byte*>(memory.get()), size);
  fill(bytes);
  memory.release();
  return bytes;
}

std::span<const std::byte> mapping_of(const regular_file& file, const std::filesystem::path& path) {
  if (file.size() == 0) return {};
  const std::byte* bytes = file.file().map(file.size());
  if (bytes == nullptr) {
    const int reason = errno;
    throw error(path.string() + ": cannot map: " + std::generic_category().message(reason));
  }
  return {bytes, file.size()};
}

} // namespace

mapped_file::mapped_file(const file_path& path, load_options how)
    : held_(how.copy || !system::maps_files ? held::copied : held::mapped) {
  const regular_file file(path);
  bytes_ = held_ == held::copied ? filled(file.size(), path, [&](std::span<std::byte> to) { file.read(to); })
                                 : mapping_of(file, path);
}

mapped_file::mapped_file(std::span<const std::byte> bytes, const file_path& name, load_options how)
    : held_(how.copy ? held::copied : held::given), bytes_(bytes) {
  if (how.copy)
    bytes_ = filled(bytes.size(), name,
                    [&](std::span<std::byte> to) { std::copy(bytes.begin(), bytes.end(), to.begin()); });
}

mapped_file::~mapped_file() {
  if (held_ == held::copied)
    free_lines(const_cast<std::byte*>(bytes_.data()));
  else if (held_ == held::mapped && !bytes_.empty())
    system::unmap(bytes_.data(), bytes_.size());
}

void mapped_file::let_go(std::span<const std::byte> part) const noexcept {
  const std::less_equal<const std::byte*> up_to;
  if (held_ == held::mapped && up_to(bytes_.data(), part.data()) &&
      up_to(part.data() + part.size(), bytes_.data() + bytes_.size()))
    system::let_go(part.data(), part.size());
}

} // namespace fovea::core
