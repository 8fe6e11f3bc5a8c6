#include "guard.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include <fovea/base/memory.hpp>

namespace fovea::core::test {
namespace {

constexpr int untouched = 0xff;

/// The pages that hold some memory: the readable ones, which two others enclose.
struct pages {
  unsigned char* begin;
  std::size_t bytes;     // of the readable ones
  std::size_t at, count; // where the memory lies in them

  bool rest_is_untouched() const {
    const auto is = [](unsigned char byte) { return byte == untouched; };
    return std::all_of(begin, begin + at, is) && std::all_of(begin + at + count, begin + bytes, is);
  }
};

std::size_t page() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

struct guarded_memory {
  std::mutex mutex;
  std::map<void*, pages> all;
};
/// It outlives all that programs keep to their end.
guarded_memory& memory() {
  static auto* const made = new guarded_memory;
  return *made;
}

} // namespace

void* allocate_guarded(std::size_t bytes, guarded_end end) {
  pages p{nullptr, std::max<std::size_t>((bytes + page() - 1) / page(), 1) * page(), 0, bytes};
  const std::size_t all = p.bytes + 2 * page();
  void* const first =
      all < bytes ? MAP_FAILED : mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (first == MAP_FAILED) throw std::bad_alloc();
  p.begin = static_cast<unsigned char*>(first) + page();
  if (mprotect(p.begin, p.bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(first, all);
    throw std::bad_alloc();
  }
  if (end == guarded_end::last) p.at = p.bytes - bytes;
  std::memset(p.begin, untouched, p.bytes);
  const std::lock_guard lock(memory().mutex);
  memory().all[p.begin + p.at] = p;
  return p.begin + p.at;
}

void free_guarded(void* at) noexcept {
  if (at == nullptr) return;
  const std::lock_guard lock(memory().mutex);
  const auto found = memory().all.find(at);
  if (found == memory().all.end() || !found->second.rest_is_untouched()) {
    std::fputs(found == memory().all.end() ? "memory is given back that was not given\n"
                                           : "memory was written beside what was given\n",
               stderr);
    std::abort();
  }
  munmap(found->second.begin - page(), found->second.bytes + 2 * page());
  memory().all.erase(found);
}

} // namespace fovea::core::test

// In the place of base/memory.cpp, which the linker leaves in its archive.
namespace fovea::core {

void* allocate_lines(std::size_t bytes) {
  constexpr std::size_t line = 64;
  static std::atomic<unsigned> turn{0};
  return test::allocate_guarded(std::max<std::size_t>((bytes + line - 1) / line, 1) * line,
                                turn++ % 2 == 0 ? test::guarded_end::last : test::guarded_end::first);
}

void zero_lines(void* memory, std::size_t bytes) noexcept { std::memset(memory, 0, bytes); }

void free_lines(void* memory) noexcept { test::free_guarded(memory); }

bool pieces_lie_together() { return false; }

} // namespace fovea::core
