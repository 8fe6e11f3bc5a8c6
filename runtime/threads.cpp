#include <fovea/runtime/threads.hpp>

#include <algorithm>
#include <chrono>

namespace fovea {
namespace {

constexpr std::uint32_t ending = 1, open = 2, inside = 4, inside_mask = 0xffc, job = 0x1000;
constexpr std::size_t most_workers = inside_mask / inside;
constexpr auto patience = std::chrono::microseconds(40);

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Waits until value() differs from `old`: spinning first, then asleep.
std::uint32_t wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    for (int i = 0; i < 16; ++i) {
      if (const std::uint32_t now = value.load(std::memory_order_acquire); now != old) return now;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

} // namespace

thread_pool::thread_pool(std::size_t threads) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  threads = std::min(threads, most_workers + 1);
  workers_.reserve(threads - 1);
  try {
    for (std::size_t i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
  } catch (...) {
    stop();
    throw;
  }
}

thread_pool::~thread_pool() { stop(); }

void thread_pool::stop() noexcept {
  state_.fetch_or(ending, std::memory_order_release);
  state_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void thread_pool::share(std::size_t tasks, range_function f, void* context) {
  function_ = f;
  context_ = context;
  tasks_ = tasks;
  next_.store(0, std::memory_order_relaxed);
  all_left_.store(0, std::memory_order_relaxed);
  const std::uint32_t number = (state_.load(std::memory_order_relaxed) & ~(job - 1)) + job;
  state_.store(number |
               open); // sequentially consistent: notify must not look for sleepers before this is seen
  state_.notify_all();
  take(0);
  const std::uint32_t closed = state_.fetch_and(~open, std::memory_order_acq_rel);
  if ((closed & inside_mask) == 0) return;
  while (wait_while(all_left_, 0) == 0) {
  }
}

void thread_pool::take(std::size_t thread) noexcept {
  std::size_t first = next_.load(std::memory_order_relaxed);
  while (first < tasks_) {
    // Large ranges first, for neighbours share what a cache holds; single tasks last, for all to end
    // together.
    const std::size_t count = std::max<std::size_t>(1, (tasks_ - first) / (2 * size()));
    if (next_.compare_exchange_weak(first, first + count, std::memory_order_relaxed)) {
      function_(context_, first, first + count, thread);
      first = next_.load(std::memory_order_relaxed);
    }
  }
}

void thread_pool::work(std::size_t thread) noexcept {
  std::uint32_t seen = 0;
  while (true) {
    std::uint32_t now = state_.load(std::memory_order_acquire);
    if (now & ending) return;
    if (!(now & open) || (now & ~(job - 1)) == seen) {
      wait_while(state_, now);
      continue;
    }
    if (!state_.compare_exchange_weak(now, now + inside, std::memory_order_acq_rel)) continue;
    seen = now & ~(job - 1);
    take(thread);
    now = state_.fetch_sub(inside, std::memory_order_acq_rel) - inside;
    if (!(now & open) && (now & inside_mask) == 0) {
      all_left_.store(1);
      all_left_.notify_one();
    }
  }
}

} // namespace fovea
