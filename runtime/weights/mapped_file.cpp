#include <fovea/runtime/weights/mapped_file.hpp>

#include <fovea/runtime/error.hpp>

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fovea {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw error(path.string() + ": " + what + ": " + std::generic_category().message(errno));
}

struct descriptor {
  int value;
  ~descriptor() {
    if (value >= 0) ::close(value);
  }
};

} // namespace

mapped_file::mapped_file(const std::filesystem::path& path) {
  const descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.value < 0) fail(path, "cannot open");
  struct stat status {};
  if (::fstat(file.value, &status) != 0) fail(path, "cannot inspect");
  if (!S_ISREG(status.st_mode)) throw error(path.string() + ": expected a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return; // mmap refuses a length of zero
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value, 0);
  if (address == MAP_FAILED) fail(path, "cannot map");
  bytes_ = {static_cast<const std::byte*>(address), size};
}

mapped_file::~mapped_file() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

} // namespace fovea
