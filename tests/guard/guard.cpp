#include "guard.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include <fovea/base/memory.hpp>

#include "../system/system.hpp"

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
  if (p.bytes >= bytes) p.begin = take_guarded_pages(p.bytes);
  if (p.begin == nullptr) throw std::bad_alloc();
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
  give_back_guarded_pages(found->second.begin, found->second.bytes);
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
