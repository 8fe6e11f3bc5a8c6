#include <fovea/base/memory.hpp>

#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace fovea::core {

void* allocate_lines(std::size_t bytes) {
  constexpr std::size_t line = 64, huge_page = std::size_t{2} << 20;
  const bool huge = bytes >= huge_page;
  const std::size_t rounded = bytes == 0 ? line : (bytes + line - 1) / line * line;
  void* memory = nullptr;
  if (::posix_memalign(&memory, huge ? huge_page : line, rounded) != 0) throw std::bad_alloc();
  if (huge) ::madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

void free_lines(void* memory) noexcept { std::free(memory); }

bool pieces_lie_together() { return true; }

} // namespace fovea::core
