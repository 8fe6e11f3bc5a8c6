#pragma once

#include <cstddef>

namespace fovea::core::system {

/// Memory at a multiple of `alignment`, a power of two; null where there is none.
void* allocate(std::size_t bytes, std::size_t alignment) noexcept;
void free(void* memory) noexcept;

/// Asks for huge pages, where the system has them.
void prefer_huge_pages(void* memory, std::size_t bytes) noexcept;

/// Gives whole huge pages back to the system, which makes zeros of them as they are touched; false where it can't.
bool give_back_pages(void* memory, std::size_t bytes) noexcept;

} // namespace fovea::core::system
