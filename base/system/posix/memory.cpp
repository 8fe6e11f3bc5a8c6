#include <fovea/base/system/memory.hpp>

#include <cstdlib>

#ifndef __wasi__
#include <sys/mman.h>
#endif

namespace fovea::core::system {

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  void* memory = nullptr;
  return ::posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

void free(void* memory) noexcept { std::free(memory); }

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

bool give_back_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef __linux__ // elsewhere what was written may stay
  return ::madvise(memory, bytes, MADV_DONTNEED) == 0;
#else
  return false;
#endif
}

} // namespace fovea::core::system
