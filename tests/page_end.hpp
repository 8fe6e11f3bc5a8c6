#pragma once

#include <cstddef>

#include "guard/guard.hpp"

namespace fovea::core::test {

/// Places what it allocates at the very end of a page before one that nobody may touch; begins are as little
/// aligned as sizes happen to be.
template <class T>
struct page_end {
  using value_type = T;

  page_end() = default;
  template <class U>
  page_end(const page_end<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_guarded(n * sizeof(T), guarded_end::last)); }
  void deallocate(T* at, std::size_t) noexcept { free_guarded(at); }
  template <class U>
  bool operator==(const page_end<U>&) const {
    return true;
  }
};

} // namespace fovea::core::test
