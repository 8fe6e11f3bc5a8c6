#include <fovea/base/memory.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace fovea::core {
namespace {

constinit std::atomic<const memory_lender*> asked_first = nullptr;

} // namespace

void ask_first(const memory_lender& lender) noexcept { asked_first = &lender; }

void* allocate_lines(std::size_t bytes) {
  constexpr std::size_t line = 64, huge_page = std::size_t{2} << 20;
  const bool huge = bytes >= huge_page;
  const std::size_t rounded = bytes == 0 ? line : (bytes + line - 1) / line * line;
  const std::size_t alignment = huge ? huge_page : line;
  if (const memory_lender* lender = asked_first)
    if (void* lent = lender->allocate(rounded, alignment)) return lent;
  void* memory = nullptr;
  if (::posix_memalign(&memory, alignment, rounded) != 0) throw std::bad_alloc();
  if (huge) ::madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

void free_lines(void* memory) noexcept {
  if (const memory_lender* lender = asked_first)
    if (memory != nullptr && lender->take_back(memory)) return;
  std::free(memory);
}

bool pieces_lie_together() { return true; }

} // namespace fovea::core
