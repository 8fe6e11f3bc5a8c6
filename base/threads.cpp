#include <fovea/base/threads.hpp>

#include <fovea/base/system/processors.hpp>

#include <algorithm>

namespace fovea::core {
namespace {

constexpr std::uint32_t ending = 1, open = 2, inside = 4, inside_mask = 0xffc, job = 0x1000;
constexpr std::size_t most_workers = inside_mask / inside;
constexpr auto patience = std::chrono::microseconds(40);

/// Waits, but not for long, until a value differs from `old`, and returns it.
std::uint32_t spin_while(const std::atomic<std::uint32_t>& value, std::uint32_t old,
                         std::chrono::nanoseconds for_so_long = patience) {
  const auto end = std::chrono::steady_clock::now() + for_so_long;
  do {
    for (int i = 0; i < 16; ++i) {
      if (const std::uint32_t now = value.load(std::memory_order_acquire); now != old) return now;
      system::pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return old;
}

/// How many threads share the work.
std::size_t size_of(thread_supply threads) {
  const bool are_lent = threads.lent.run != nullptr;
  const std::size_t most = are_lent ? most_workers + 1 : std::min(system::most_threads(), most_workers + 1);
  if (threads.count > 0) return std::min(static_cast<std::size_t>(threads.count), most);
  return system::shares_threads && !are_lent ? most : std::min(usable_processors(), most);
}

} // namespace

std::size_t usable_processors() { return system::usable_processors(); }

thread_pool::thread_pool(thread_supply threads) : size_(size_of(threads)), lent_(threads.lent) {
  parts_ = std::make_unique<part[]>(size_);
  if (lent_.run != nullptr) return;
  workers_.reserve(size_ - 1);
  try {
    for (std::size_t i = 1; i < size_; ++i) workers_.emplace_back([this, i] { work(i); });
  } catch (...) {
    stop();
    throw;
  }
}

thread_pool::~thread_pool() { stop(); }

/// A worker on the processor where the caller runs gets no time there for some milliseconds, and schedulers
/// of virtual machines wake it there, for they take an idle processor for one that the host has taken away.
/// So workers keep off the caller's processor, and when the caller has moved, they do at its next call.
void thread_pool::leave_to_caller() noexcept {
  const int here = system::this_processor();
  if (here < 0 || here == left_free_) return;
  left_free_ = here;
  system::keep_off(here, workers_, size());
}

void thread_pool::stop() noexcept {
  state_.fetch_or(ending, std::memory_order_release);
  system::wake_all(state_);
  for (auto& worker : workers_) worker.join();
}

void thread_pool::expect(std::int64_t work) {
  if (asleep() == 0) return;
  if (work < worth_waking && !(all_sleep() && is_long_busy(work))) return;
  leave_to_caller();
  busy_since_ = busy_until_; // where no processor has time for a worker, not each call tries to wake it
  state_.fetch_add(job);     // a number without a job: who sees it stays awake for the next
  system::wake_all(state_);
}

/// Whether so much has followed each other that, had it been known, it would have been worth waking for.
bool thread_pool::is_long_busy(std::int64_t work) {
  const auto now = std::chrono::steady_clock::now();
  if (now > busy_until_ + patience) busy_since_ = now;
  busy_until_ = now + std::chrono::nanoseconds(work);
  return now >= busy_since_ + std::chrono::nanoseconds(worth_waking);
}

void thread_pool::share(std::size_t tasks, std::int64_t work, bool backward, range_function f,
                        void* context) {
  function_ = f;
  context_ = context;
  backward_ = backward;
  for (std::size_t i = 0, first = 0; i < size(); ++i) {
    const std::size_t last = tasks * (i + 1) / size();
    parts_[i].next.store(0, std::memory_order_relaxed);
    parts_[i].first = first, parts_[i].count = last - first;
    first = last;
  }
  if (lent_.run != nullptr) return share_by_executor();
  leave_to_caller();
  all_left_.store(0, std::memory_order_relaxed);
  const std::uint32_t number = (state_.load(std::memory_order_relaxed) & ~(job - 1)) + job;
  // Sequentially consistent: who looks for sleepers must not miss one that has not seen this.
  state_.store(number | open);
  if (work >= worth_waking && sleeping_.load() > 0) system::wake_all(state_);
  take(0);
  const std::uint32_t closed = state_.fetch_and(~open, std::memory_order_acq_rel);
  if ((closed & inside_mask) == 0) return;
  while (spin_while(all_left_, 0) == 0) system::sleep_while(all_left_, 0);
}

void thread_pool::share_by_executor() {
  lent_.run(
      lent_.context, size(),
      [](void* pool, std::size_t thread) { static_cast<thread_pool*>(pool)->take(thread); }, this);
}

void thread_pool::take(std::size_t thread) noexcept {
  for (std::size_t i = 0; i < size(); ++i) {
    part& from = parts_[(thread + i) % size()];
    std::size_t next = from.next.load(std::memory_order_relaxed);
    while (next < from.count) {
      // Large ranges first, for neighbours share what a cache holds; single tasks last, for all to end
      // together.
      const std::size_t count = std::max<std::size_t>(1, (from.count - next) / 4);
      if (from.next.compare_exchange_weak(next, next + count, std::memory_order_relaxed)) {
        const std::size_t first = from.first + (backward_ ? from.count - next - count : next);
        function_(context_, first, first + count, thread);
        next = from.next.load(std::memory_order_relaxed);
      }
    }
  }
}

void thread_pool::work(std::size_t thread) noexcept {
  std::uint32_t seen = 0;
  bool woken = false;
  while (true) {
    std::uint32_t now = state_.load(std::memory_order_acquire);
    if (now & ending) return;
    if (!(now & open) || (now & ~(job - 1)) == seen) {
      // Who was woken for calls that follow each other outlasts the one that goes on without him.
      const std::chrono::nanoseconds longer(woken ? worth_waking : 0);
      if (spin_while(state_, now, patience + longer) != now) continue;
      sleeping_.fetch_add(1);
      system::sleep_while(state_, now);
      sleeping_.fetch_sub(1);
      woken = true;
      continue;
    }
    if (!state_.compare_exchange_weak(now, now + inside, std::memory_order_acq_rel)) continue;
    seen = now & ~(job - 1);
    woken = false;
    take(thread);
    now = state_.fetch_sub(inside, std::memory_order_acq_rel) - inside;
    if (!(now & open) && (now & inside_mask) == 0) {
      all_left_.store(1);
      system::wake_one(all_left_);
    }
  }
}

std::shared_ptr<thread_pool> pool_of(thread_supply threads) {
  if (!system::shares_threads || threads.lent.run != nullptr || threads.count == 1)
    return std::make_shared<thread_pool>(threads);
  static std::weak_ptr<thread_pool> all;
  std::shared_ptr<thread_pool> pool = all.lock();
  if (pool == nullptr) all = pool = std::make_shared<thread_pool>();
  return pool;
}

} // namespace fovea::core
