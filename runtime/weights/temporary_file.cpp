#include <fovea/runtime/weights/temporary_file.hpp>

#include <fovea/runtime/error.hpp>

#include <atomic>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace fovea {
namespace {

std::string unused_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  return path.string() + "." + std::to_string(::getpid()) + "." + std::to_string(count++) + ".partial";
}

} // namespace

temporary_file::temporary_file(const std::filesystem::path& path)
    : path_(path), name_(unused_name(path)),
      descriptor_(::open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail("cannot create a file beside it");
}

temporary_file::~temporary_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!name_.empty()) ::unlink(name_.c_str());
}

void temporary_file::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void temporary_file::commit() {
  if (::fsync(descriptor_) != 0) fail("cannot flush");
  if (::rename(name_.c_str(), path_.c_str()) != 0) fail("cannot rename the finished file");
  name_.clear();
}

void temporary_file::fail(const char* what) const {
  const std::string reason = std::generic_category().message(errno);
  throw error(path_.string() + ": " + what + ": " + reason);
}

} // namespace fovea
