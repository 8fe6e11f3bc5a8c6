#pragma once
/* How full a file system is, which no call of WASI says. wasi-libc lacks this header. */
#include <errno.h>

struct statvfs {
  unsigned long f_bsize, f_frsize;
  unsigned long long f_blocks, f_bfree, f_bavail;
};

static inline int statvfs(const char* path, struct statvfs* found) {
  (void)path, (void)found;
  return errno = ENOSYS, -1;
}
