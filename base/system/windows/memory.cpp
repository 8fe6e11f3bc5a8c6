#include <fovea/base/system/memory.hpp>

#include <malloc.h>

namespace fovea::core::system {

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  return ::_aligned_malloc(bytes, alignment);
}

void free(void* memory) noexcept { ::_aligned_free(memory); }

// Large pages need a privilege that users do not have.
void prefer_huge_pages(void*, std::size_t) noexcept {}

bool give_back_pages(void*, std::size_t) noexcept { return false; }

} // namespace fovea::core::system
