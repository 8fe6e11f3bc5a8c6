#pragma once

#include <cstddef>

#include <fovea/backends/xtensor.hpp>
#include <fovea/base/memory.hpp>

namespace fovea::core {

/// Memory by allocate_lines().
template <class T>
struct aligned_allocator {
  using value_type = T;

  aligned_allocator() = default;
  template <class U>
  aligned_allocator(const aligned_allocator<U>&) noexcept {}

  T* allocate(std::size_t n) {
    constexpr auto most = static_cast<std::size_t>(-1); // which is refused
    return static_cast<T*>(allocate_lines(n > most / sizeof(T) ? most : n * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t) noexcept { free_lines(memory); }
  friend bool operator==(const aligned_allocator&, const aligned_allocator&) { return true; }
};

/// Working memory: one piece, made once.
using buffer = xt::xtensor<float, 1, xt::layout_type::row_major, aligned_allocator<float>>;

} // namespace fovea::core
