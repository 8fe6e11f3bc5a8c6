// Stands before the system calls by which a file is saved, for the whole program.

#include "faults.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <limits>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using fovea::core::test::fault;

namespace {

constexpr long never = std::numeric_limits<long>::max();

std::atomic<fault> what{fault::none};
std::atomic<long> left{never};
std::atomic<bool> named{false}, disk_is_full{false};

/// What befalls a call that is made now.
fault next() {
  if (left.load() == never || left.fetch_sub(1) != 0) return fault::none;
  if (what == fault::kills) ::raise(SIGKILL);
  return what;
}

/// Whether the call fails, for this reason.
bool fails(int reason) {
  if (next() != fault::fails) return false;
  errno = reason;
  return true;
}

bool is_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

} // namespace

namespace fovea::core::test {

faulty_call::faulty_call(fault of, long number, bool has_name) {
  what = of, named = has_name, disk_is_full = false;
  left = number;
}
faulty_call::~faulty_call() { left = never, named = false, disk_is_full = false; }
bool faulty_call::has_struck() { return left < 0; }

} // namespace fovea::core::test

extern "C" {

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (named && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  if (fails(ENOSPC)) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  if (is_file(descriptor)) {
    const fault now = next();
    if (now == fault::fails || disk_is_full) {
      errno = ENOSPC;
      return -1;
    }
    if (now == fault::writes_part) {
      disk_is_full = true;
      count /= 2;
    }
  }
  return ::syscall(SYS_write, descriptor, bytes, count);
}

int fsync(int descriptor) {
  if (fails(EIO)) return -1;
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  if (fails(EIO)) return -1;
  return static_cast<int>(::syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

int rename(const char* from, const char* to) noexcept {
  if (fails(EIO)) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int unlink(const char* path) noexcept {
  if (fails(EIO)) return -1;
  return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}
}
