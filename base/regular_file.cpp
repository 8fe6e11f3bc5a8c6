#include <fovea/base/regular_file.hpp>

#include <fovea/base/error.hpp>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fovea::core {
namespace {

const char* kind_of(mode_t mode) {
  return S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

} // namespace

regular_file::handle::~handle() {
  if (descriptor >= 0) ::close(descriptor);
}

regular_file::regular_file(const std::filesystem::path& path)
    : path_(path), open_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (path.empty()) throw error("expected the path of a file; found an empty one");
  if (open_.descriptor < 0) fail("cannot open");
  struct stat status {};
  if (::fstat(open_.descriptor, &status) != 0) fail("cannot inspect");
  if (!S_ISREG(status.st_mode))
    throw error(path.string() + ": expected a regular file; found " + kind_of(status.st_mode));
  size_ = static_cast<std::size_t>(status.st_size);
}

int regular_file::release() { return std::exchange(open_.descriptor, -1); }

void regular_file::read(std::span<std::byte> to) const {
  for (std::size_t done = 0; done < to.size();) {
    const ssize_t got = ::read(open_.descriptor, to.data() + done, to.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read");
    if (got == 0)
      throw error(path_.string() + ": the file was cut short while it was read: expected " +
                  std::to_string(to.size()) + " bytes; found " + std::to_string(done));
    done += static_cast<std::size_t>(got);
  }
}

void regular_file::fail(const char* what) const {
  const int reason = errno;
  throw error(path_.string() + ": " + what + ": " + std::generic_category().message(reason));
}

void refuse_memory(const std::filesystem::path& path) {
  std::error_code unknown; // a folder's
  const auto size = std::filesystem::file_size(path, unknown);
  throw error(path.string() + ": there is not enough memory to read " +
              (unknown ? "it" : "its " + std::to_string(size) + " bytes"));
}

} // namespace fovea::core
