#pragma once
/* What the file system of LLVM's library for C++ calls, and wasi-libc lacks: each fails as where a system knows no such call. */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#ifndef DT_SOCK
#define DT_SOCK 255 /* which no file has */
#endif

static inline int fchmod(int, mode_t) { return errno = ENOSYS, -1; }
static inline int fchmodat(int, const char*, mode_t, int) { return errno = ENOSYS, -1; }
static inline char* realpath(const char*, char*) { return errno = ENOSYS, nullptr; }
