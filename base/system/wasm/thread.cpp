#include <fovea/base/system/wasm/thread.hpp>

#include <fovea/base/system/processors.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>

/// Made by the linker: gives the instance that calls it its own thread_local values, in this memory.
extern "C" void __wasm_init_tls(void* storage);

namespace fovea::core::system {

struct worker {
  alignas(16) std::array<std::byte, std::size_t{1} << 20> stack; // as much as a module has
  void* storage;                                                 // of what is thread_local
  std::function<void()> work{};
  alignas(64) std::atomic<std::uint32_t> has_work{0};
  worker* next = nullptr; // that waits for work
};

namespace {

// Changed by the calling thread alone.
constinit worker* waiting = nullptr;
constinit std::size_t count_waiting = 0;

constinit thread_local bool may_sleep = false;

int* address_of(const std::atomic<std::uint32_t>& value) {
  return reinterpret_cast<int*>(const_cast<std::atomic<std::uint32_t>*>(&value));
}

/// Apart from who makes its thread_local values, for a compiler may look for their place at a function's begin.
[[noreturn, gnu::noinline]] void serve(worker& own) noexcept {
  may_sleep = true;
  while (true) {
    while (own.has_work.load(std::memory_order_acquire) == 0) sleep_while(own.has_work, 0);
    own.work();
    own.has_work.store(0, std::memory_order_release);
  }
}

} // namespace

std::size_t most_threads() noexcept { return count_waiting + 1; }

thread::thread(std::function<void()> work) : own_(waiting) {
  waiting = own_->next;
  --count_waiting;
  own_->work = std::move(work);
  own_->has_work.store(1, std::memory_order_release);
  wake_one(own_->has_work);
}

void thread::join() noexcept {
  while (own_->has_work.load(std::memory_order_acquire) != 0) {
  }
  own_->work = nullptr;
  own_->next = waiting;
  waiting = own_;
  ++count_waiting;
}

/// The thread that calls a module never sleeps: a page's own may not, and it waits for workers that are at work. A function of its own
/// for the sake of Node 20, whose V8 at first compiles so that who sleeps forgets values of the function around it.
[[gnu::noinline]] void sleep_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) noexcept {
  if (may_sleep) __builtin_wasm_memory_atomic_wait32(address_of(value), static_cast<int>(old), -1);
}
void wake_one(std::atomic<std::uint32_t>& value) noexcept {
  __builtin_wasm_memory_atomic_notify(address_of(value), 1);
}
void wake_all(std::atomic<std::uint32_t>& value) noexcept {
  __builtin_wasm_memory_atomic_notify(address_of(value), std::numeric_limits<unsigned>::max());
}

} // namespace fovea::core::system

// What JavaScript starts threads by: the caller's instance makes the memory of one, and another instance over the same memory, whose
// stack is that, begins there and never returns.
extern "C" {

/// Null where there is no more memory.
fovea::core::system::worker* fovea_thread_make() {
  using namespace fovea::core::system;
  const std::size_t size = __builtin_wasm_tls_size(), alignment = __builtin_wasm_tls_align();
  void* const storage = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  worker* const made = storage == nullptr ? nullptr : new (std::nothrow) worker;
  if (made == nullptr) {
    std::free(storage);
    return nullptr;
  }
  made->storage = storage;
  made->next = waiting;
  waiting = made;
  ++count_waiting;
  return made;
}

/// Where its stack begins, which grows towards lower addresses.
void* fovea_thread_stack(fovea::core::system::worker* of) { return of->stack.data() + of->stack.size(); }

[[noreturn]] void fovea_thread_begin(fovea::core::system::worker* own) {
  __wasm_init_tls(own->storage);
  fovea::core::system::serve(*own);
}
}
