// Replaces the allocation functions of the whole program: C++'s, and where no sanitizer has replaced them
// already, C's.

#include "faults.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define FOVEA_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FOVEA_SANITIZED 1
#endif
#endif

namespace {

constexpr long never = std::numeric_limits<long>::max();

std::atomic<long> left{never}, blocks{0};
std::atomic<bool> all_after{false};

bool strikes() {
  if (left.load(std::memory_order_relaxed) == never) return false;
  const long before = left.fetch_sub(1);
  return before == 0 || (before < 0 && all_after);
}

[[maybe_unused]] void* counted(void* memory) {
  blocks += memory != nullptr;
  return memory;
}

} // namespace

namespace fovea::core::test {

failing_allocations::failing_allocations(long number, bool and_all_after) {
  all_after = and_all_after;
  left = number;
}
failing_allocations::~failing_allocations() { left = never; }
bool failing_allocations::have_struck() { return left < 0; }

long blocks_in_use() { return blocks; }

} // namespace fovea::core::test

#if defined(FOVEA_SANITIZED)

[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* memory = strikes() ? nullptr : std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return strikes() ? nullptr : std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#else

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) {
  if (!strikes()) return counted(__libc_malloc(size));
  errno = ENOMEM;
  return nullptr;
}
void* calloc(std::size_t count, std::size_t size) {
  if (!strikes()) return counted(__libc_calloc(count, size));
  errno = ENOMEM;
  return nullptr;
}
void* realloc(void* memory, std::size_t size) {
  if (strikes()) {
    errno = ENOMEM;
    return nullptr;
  }
  blocks -= memory != nullptr;
  return counted(__libc_realloc(memory, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return strikes() ? nullptr : counted(__libc_memalign(alignment, size));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) { // allocate_lines()'s
  void* found = strikes() ? nullptr : counted(__libc_memalign(alignment, size));
  if (found == nullptr) return ENOMEM;
  *memory = found;
  return 0;
}
void free(void* memory) {
  blocks -= memory != nullptr;
  __libc_free(memory);
}
}

#endif
