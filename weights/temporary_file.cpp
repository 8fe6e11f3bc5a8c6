#include <fovea/weights/temporary_file.hpp>

#include <fovea/base/error.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace fovea::core {
namespace {

std::string unused_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  return path.string() + "." + std::to_string(::getpid()) + "." + std::to_string(count++) + ".partial";
}

// Where a file without a name is linked from.
constexpr const char* descriptors = "/proc/self/fd/";

const std::filesystem::path& checked(const std::filesystem::path& path) {
  if (path.empty()) throw error("expected the path of a file; found an empty one");
  return path;
}

/// A file without a name; -1 where there are none, or none that could be given a name.
int open_unnamed(const std::filesystem::path& folder) {
  if (::access(descriptors, F_OK) != 0) return -1;
  return ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

/// Holds back the signal that ends a program whose file outgrows its limit: the write then fails.
class size_signal_blocked {
public:
  size_signal_blocked() {
    sigset_t pending;
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGXFSZ) == 1;
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~size_signal_blocked() {
    const int reason = errno;
    const std::timespec no_time{};
    if (!was_pending_) ::sigtimedwait(&signal_, nullptr, &no_time);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = reason;
  }
  size_signal_blocked(const size_signal_blocked&) = delete;
  size_signal_blocked& operator=(const size_signal_blocked&) = delete;

private:
  sigset_t signal_{}, before_{};
  bool was_pending_;
};

ssize_t write_some(int descriptor, std::span<const std::byte> bytes) {
  const size_signal_blocked blocked;
  return ::write(descriptor, bytes.data(), bytes.size());
}

} // namespace

temporary_file::temporary_file(const std::filesystem::path& path)
    : path_(checked(path)), folder_(path.has_parent_path() ? path.parent_path() : "."),
      descriptor_(open_unnamed(folder_)) {
  if (descriptor_ >= 0) return;
  do {
    name_ = unused_name(path);
    descriptor_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) fail("cannot create a file beside it");
}

temporary_file::~temporary_file() {
  ::close(descriptor_);
  if (!name_.empty()) ::unlink(name_.c_str());
}

void temporary_file::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write_some(descriptor_, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void temporary_file::commit() {
  if (::fsync(descriptor_) != 0) fail("cannot flush");
  if (name_.empty()) link();
  if (!name_.empty() && ::rename(name_.c_str(), path_.c_str()) != 0) fail("cannot rename the finished file");
  name_.clear();
  flush_folder();
}

/// Gives it the name `path`, or where that is taken one of its own: a link replaces nothing.
void temporary_file::link() {
  const std::string from = descriptors + std::to_string(descriptor_);
  const auto linked = [&](const char* to) {
    return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to, AT_SYMLINK_FOLLOW) == 0;
  };
  if (linked(path_.c_str())) return;
  while (errno == EEXIST) {
    std::string name = unused_name(path_);
    if (linked(name.c_str())) {
      name_.swap(name);
      return;
    }
  }
  fail("cannot name the finished file");
}

void temporary_file::flush_folder() const {
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return; // one that may be written to and not read
  const int result = ::fsync(folder);
  const int reason = errno;
  ::close(folder);
  errno = reason;
  // Some file systems know no such thing.
  if (result != 0 && reason != EINVAL && reason != ENOTSUP) fail("cannot flush its folder");
}

void temporary_file::fail(const char* what) const {
  const int reason = errno;
  throw error(path_.string() + ": " + what + ": " + std::generic_category().message(reason));
}

} // namespace fovea::core
