#include <fovea/base/system/file.hpp>

#include <cerrno>
#include <cstdint>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef __wasi__
#include <csignal>
#include <sys/file.h>
#include <sys/mman.h>
#endif

namespace fovea::core::system {
namespace {

// Where a file without a name is linked from.
constexpr const char* descriptors = "/proc/self/fd/";

/// Does it again where a signal interrupted it.
template <class F>
std::ptrdiff_t uninterrupted(F call) {
  std::ptrdiff_t done = call();
  while (done < 0 && errno == EINTR) done = call();
  return done;
}

#ifdef __wasi__

// WebAssembly's systems have no signals, and no locks of files.
struct size_signal_blocked {};
constexpr int LOCK_EX = 0, LOCK_NB = 0;
int flock(int, int) { return 0; }

#else

/// Holds back the signal that ends a program whose file outgrows its limit: the write then fails.
class size_signal_blocked {
public:
  size_signal_blocked() {
    sigset_t pending;
    sigemptyset(&signal_); // a macro on some systems, as the other two
    sigaddset(&signal_, SIGXFSZ);
    ::sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~size_signal_blocked() {
    const int reason = errno;
    // sigtimedwait, which macOS lacks, would be one call; sigwait does not wait for what is pending.
    sigset_t pending;
    ::sigpending(&pending);
    if (int which = 0; !was_pending_ && sigismember(&pending, SIGXFSZ) == 1) ::sigwait(&signal_, &which);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = reason;
  }
  size_signal_blocked(const size_signal_blocked&) = delete;
  size_signal_blocked& operator=(const size_signal_blocked&) = delete;

private:
  sigset_t signal_{}, before_{};
  bool was_pending_;
};

#endif

} // namespace

file::~file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<file_status> file::status() const {
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0) return std::nullopt;
  const mode_t mode = about.st_mode;
  return file_status{S_ISREG(mode)    ? file_kind::regular
                     : S_ISDIR(mode)  ? file_kind::folder
                     : S_ISFIFO(mode) ? file_kind::pipe
                     : S_ISSOCK(mode) ? file_kind::socket
                                      : file_kind::device,
                     static_cast<std::size_t>(about.st_size)};
}

std::ptrdiff_t file::read(std::span<std::byte> to) const {
  return uninterrupted([&] { return ::read(descriptor_, to.data(), to.size()); });
}

std::ptrdiff_t file::write(std::span<const std::byte> from) const {
  [[maybe_unused]] const size_signal_blocked blocked;
  return uninterrupted([&] { return ::write(descriptor_, from.data(), from.size()); });
}

std::ptrdiff_t file::read_at(std::size_t offset, std::span<std::byte> to) const {
  return uninterrupted(
      [&] { return ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset)); });
}

bool file::shorten(std::size_t bytes) const {
  return ::ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0;
}

bool file::flush() const { return ::fsync(descriptor_) == 0; }

bool file::lock() const { return flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

#ifdef __wasi__

const std::byte* file::map(std::size_t) const {
  errno = ENOSYS;
  return nullptr;
}

void unmap(const std::byte*, std::size_t) noexcept {}
void let_go(const std::byte*, std::size_t) noexcept {}

#else

const std::byte* file::map(std::size_t bytes) const {
  void* address = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  return address == MAP_FAILED ? nullptr : static_cast<const std::byte*>(address);
}

void unmap(const std::byte* bytes, std::size_t size) noexcept {
  ::munmap(const_cast<std::byte*>(bytes), size);
}

void let_go([[maybe_unused]] const std::byte* bytes, [[maybe_unused]] std::size_t size) noexcept {
#ifdef __linux__ // elsewhere what it means is not the same
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)),
             first = reinterpret_cast<std::uintptr_t>(bytes), begin = (first + page - 1) / page * page,
             end = (first + size) / page * page;
  if (begin < end) ::madvise(const_cast<std::byte*>(bytes) + (begin - first), end - begin, MADV_DONTNEED);
#endif
}

#endif

file open_to_read(const std::filesystem::path& path) {
  return file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

file open_at_once(const std::filesystem::path& path) {
  return file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

file open_to_append(const std::filesystem::path& path) {
  return file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
}

file create(const std::filesystem::path& path) {
  return file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
}

file create_unnamed(const std::filesystem::path& folder) {
#ifdef O_TMPFILE
  if (::access(descriptors, F_OK) == 0)
    return file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
#else
  static_cast<void>(folder);
#endif
  return file();
}

file standard_input() {
#ifdef F_DUPFD_CLOEXEC
  return file(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
#else
  return file(STDIN_FILENO);
#endif
}

bool name(const file& unnamed, const std::filesystem::path& path) {
  const std::string from = descriptors + std::to_string(unnamed.descriptor());
  return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

bool replace(const std::filesystem::path& from, const std::filesystem::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool remove(const std::filesystem::path& path) { return ::unlink(path.c_str()) == 0; }

bool flush_folder(const std::filesystem::path& folder) {
  const file open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open) return true; // one that may be written to and not read
  // Some file systems know no such thing.
  return open.flush() || errno == EINVAL || errno == ENOTSUP;
}

unsigned long process_number() noexcept { return static_cast<unsigned long>(::getpid()); }

} // namespace fovea::core::system
