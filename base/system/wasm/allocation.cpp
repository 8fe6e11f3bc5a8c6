// wasi-libc takes memory, and gives it back, for one thread. Here threads take turns: what calls malloc() reaches __wrap_malloc(), as the
// linker is told, and that malloc() itself by __real_malloc(). JavaScript knows it as malloc.

#include <atomic>
#include <cstddef>

namespace {

constinit std::atomic_flag taken{};

class turn {
public:
  turn() noexcept {
    while (taken.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~turn() { taken.clear(std::memory_order_release); }
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;
};

} // namespace

extern "C" {

void* __real_malloc(std::size_t bytes);
void* __real_calloc(std::size_t count, std::size_t bytes);
void* __real_realloc(void* memory, std::size_t bytes);
void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
int __real_posix_memalign(void** memory, std::size_t alignment, std::size_t bytes);
void __real_free(void* memory);

[[clang::export_name("malloc")]] void* __wrap_malloc(std::size_t bytes) {
  const turn own;
  return __real_malloc(bytes);
}
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  const turn own;
  return __real_calloc(count, bytes);
}
void* __wrap_realloc(void* memory, std::size_t bytes) {
  const turn own;
  return __real_realloc(memory, bytes);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  const turn own;
  return __real_aligned_alloc(alignment, bytes);
}
int __wrap_posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  const turn own;
  return __real_posix_memalign(memory, alignment, bytes);
}
[[clang::export_name("free")]] void __wrap_free(void* memory) {
  const turn own;
  __real_free(memory);
}
}
