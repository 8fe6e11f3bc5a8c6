#pragma once

#include <cstddef>

namespace fovea::core {

/// More floats than any memory holds, few enough for some such numbers to be added up.
inline constexpr double most_floats = sizeof(std::size_t) > 4 ? 0x1p48 : 0x1p29;

// The memory of nets, streams and weights. Tests put functions of their own in the place of these four
// (tests/guard), which find out who leaves what he asked for.

/// `bytes` that are not initialised, aligned to cache lines, which every vector width divides, and whole
/// lines, at least one, so that a vector at the end stays inside. From 2 MiB on they are aligned to a huge
/// page and ask the kernel for huge pages, so that going through them costs few misses of the TLB. Throws
/// std::bad_alloc.
void* allocate_lines(std::size_t bytes);

/// Makes all of what allocate_lines() has given zeros. From 2 MiB on the system makes pages of them, as they are touched
/// first: what a small call leaves untouched of memory for large ones costs nothing.
void zero_lines(void* memory, std::size_t bytes) noexcept;

/// Gives back what allocate_lines() has given; null is nothing.
void free_lines(void* memory) noexcept;

/// What allocate_lines() and free_lines() ask first, where there is one: null and false leave it to them.
struct memory_lender {
  void* (*allocate)(std::size_t bytes, std::size_t alignment);
  bool (*take_back)(void* memory) noexcept;
};
/// Sets it (lent_memory.hpp), once.
void ask_first(const memory_lender& lender) noexcept;

/// Whether pieces of working memory (pieces.hpp) lie in one allocation.
bool pieces_lie_together();

} // namespace fovea::core
