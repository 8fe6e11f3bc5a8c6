#include <fovea/base/lent_memory.hpp>

#include <map>
#include <mutex>
#include <new>

#include <fovea/base/memory.hpp>

namespace fovea::core {
namespace {

constinit thread_local const memory_source* current = nullptr;

/// Whose the memory is that has been lent. It outlives all that programs keep to their end.
struct lent_pieces {
  std::mutex mutex;
  std::map<void*, memory_source> all;
};
lent_pieces& pieces() {
  static auto* const made = new lent_pieces;
  return *made;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (current == nullptr) return nullptr;
  void* const memory = current->allocate(current->context, bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  try {
    const std::lock_guard lock(pieces().mutex);
    pieces().all.emplace(memory, *current);
  } catch (...) {
    current->release(current->context, memory);
    throw;
  }
  return memory;
}

bool take_back(void* memory) noexcept {
  memory_source from;
  {
    const std::lock_guard lock(pieces().mutex);
    const auto found = pieces().all.find(memory);
    if (found == pieces().all.end()) return false;
    from = found->second;
    pieces().all.erase(found);
  }
  from.release(from.context, memory);
  return true;
}

constexpr memory_lender lender{allocate, take_back};

} // namespace

lent_memory::lent_memory(const memory_source& source) : source_(source), before_(current) {
  ask_first(lender);
  current = &source_;
}

lent_memory::~lent_memory() { current = before_; }

} // namespace fovea::core
