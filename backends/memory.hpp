#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace fovea {

/// More floats than any memory holds, few enough for some such numbers to be added up.
inline constexpr double most_floats = 0x1p48;

/// `bytes` that are not initialised, aligned to cache lines, which every vector width divides, and whole
/// lines, at least one, so that a vector at the end stays inside; std::free() gives them back. From 2 MiB on
/// they are aligned to a huge page and ask the kernel for huge pages, so that going through them costs few
/// misses of the TLB.
inline void* allocate_lines(std::size_t bytes) {
  constexpr std::size_t line = 64, huge_page = std::size_t{2} << 20;
  const bool huge = bytes >= huge_page;
  const std::size_t rounded = bytes == 0 ? line : (bytes + line - 1) / line * line;
  void* memory = nullptr;
  if (::posix_memalign(&memory, huge ? huge_page : line, rounded) != 0) throw std::bad_alloc();
  if (huge) ::madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

} // namespace fovea
