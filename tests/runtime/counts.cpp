#include "counts.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <dlfcn.h>
#include <pthread.h>

// What the program takes from the heap is counted by replacing the allocation functions of C++ and, where
// no sanitizer has replaced them already, those of C.

#if defined(__SANITIZE_ADDRESS__)
#define FOVEA_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FOVEA_SANITIZED 1
#endif
#endif

namespace fovea::core::test {

std::atomic<long> allocations{0}, locks{0};
#if defined(FOVEA_SANITIZED)
const bool counts_all_allocations = false;
#else
const bool counts_all_allocations = true;
#endif

} // namespace fovea::core::test

using fovea::core::test::allocations;

// Takes the place of the C library's, and counts.
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using function = int (*)(pthread_mutex_t*);
  static constinit std::atomic<function> real{
      nullptr}; // LLVM's library guards what is not constant by a lock
  if (real == nullptr) real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++fovea::core::test::locks;
  return real.load()(mutex);
}

#if defined(FOVEA_SANITIZED)

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#else

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) { // allocate_lines()'s
  ++allocations;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}

#endif
