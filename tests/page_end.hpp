#pragma once

#include <cstddef>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace fovea::test {

/// Places what it allocates at the very end of a page before one that nobody may read, so that reading beyond
/// its end ends the program, in any build; begins are as little aligned as sizes happen to be.
template <class T>
struct page_end {
  using value_type = T;

  page_end() = default;
  template <class U>
  page_end(const page_end<U>&) {}

  T* allocate(std::size_t n) {
    const std::size_t readable = readable_bytes(n), all = readable + page();
    void* first = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (first == MAP_FAILED) throw std::bad_alloc();
    char* const end = static_cast<char*>(first) + readable;
    if (mprotect(end, page(), PROT_NONE) != 0) throw std::bad_alloc();
    return reinterpret_cast<T*>(end - n * sizeof(T));
  }
  void deallocate(T* at, std::size_t n) {
    char* const end = reinterpret_cast<char*>(at + n);
    munmap(end - readable_bytes(n), readable_bytes(n) + page());
  }
  template <class U>
  bool operator==(const page_end<U>&) const {
    return true;
  }

private:
  static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  static std::size_t readable_bytes(std::size_t n) { return (n * sizeof(T) + page() - 1) / page() * page(); }
};

} // namespace fovea::test
