#include <fovea/base/memory.hpp>

#include <fovea/base/system/memory.hpp>

#include <atomic>
#include <cstring>
#include <new>

namespace fovea::core {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

constinit std::atomic<const memory_lender*> asked_first = nullptr;

} // namespace

void ask_first(const memory_lender& lender) noexcept { asked_first = &lender; }

void* allocate_lines(std::size_t bytes) {
  constexpr std::size_t line = 64;
  const bool huge = bytes >= huge_page;
  const std::size_t rounded = bytes == 0 ? line : (bytes + line - 1) / line * line;
  if (rounded < bytes) throw std::bad_alloc();
  const std::size_t alignment = huge ? huge_page : line;
  if (const memory_lender* lender = asked_first)
    if (void* lent = lender->allocate(rounded, alignment)) return lent;
  void* memory = system::allocate(rounded, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  if (huge) system::prefer_huge_pages(memory, rounded);
  return memory;
}

void zero_lines(void* memory, std::size_t bytes) noexcept {
  // Who lends may have memory that does not become zeros so.
  const std::size_t pages = asked_first == nullptr ? bytes / huge_page * huge_page : 0;
  const bool given = pages > 0 && system::give_back_pages(memory, pages);
  const std::size_t first = given ? pages : 0;
  std::memset(static_cast<std::byte*>(memory) + first, 0, bytes - first);
}

void free_lines(void* memory) noexcept {
  if (const memory_lender* lender = asked_first)
    if (memory != nullptr && lender->take_back(memory)) return;
  system::free(memory);
}

bool pieces_lie_together() { return true; }

} // namespace fovea::core
