#include <fovea/base/threads.hpp>

#include <fovea/base/system/processors.hpp>
#include <fovea/base/system/thread.hpp>
#include <fovea/base/task_ranges.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

namespace fovea::core {
namespace {

constexpr std::uint32_t ending = 1, open = 2, inside = 4, inside_mask = 0xffc, job = 0x1000;
constexpr std::size_t most_workers = inside_mask / inside;
constexpr auto patience = std::chrono::microseconds(40);

// To wake a worker costs the caller fifteen microseconds, and it begins thirty after that.
constexpr std::int64_t worth_waking = 100'000;

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

/// The workers, and the job that they share with the caller.
struct thread_pool::crew {
  /// The tasks that a thread begins with, counted from the end that it begins at: those from `next` on are
  /// not taken yet.
  struct alignas(64) part {
    std::atomic<std::size_t> next{0};
    std::size_t first = 0, count = 0;
  };

  crew(std::size_t threads, executor by);
  ~crew() { stop(); }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  bool all_sleep() const { return sleeping.load(std::memory_order_relaxed) == workers.size(); }
  bool is_long_busy(std::int64_t work);
  void leave_to_caller() noexcept;
  void expect(std::int64_t work);
  void share(std::size_t tasks, std::int64_t work);
  void share_by_executor();
  void take(std::size_t thread) noexcept;
  void work(std::size_t thread) noexcept;
  void stop() noexcept;

  // The job; written only while no worker is inside one.
  range_function function = nullptr;
  void* context = nullptr;
  task_order order;
  std::vector<part> parts; // of each thread
  // Bit 0: the pool ends. Bit 1: a job is open. Bits 2 to 11: workers inside it. Above: the number of the
  // job.
  alignas(64) std::atomic<std::uint32_t> state{0};
  // 1 once the last worker has left a job that was closed before.
  alignas(64) std::atomic<std::uint32_t> all_left{0};
  alignas(64) std::atomic<std::size_t> sleeping{0}; // workers
  // Of calls of `expect` that follow each other without rest while all workers sleep.
  std::chrono::steady_clock::time_point busy_since{}, busy_until{};
  executor lent;
  std::vector<system::thread> workers; // none with an executor
  int left_free = -1;                  // the processor that workers keep off
};

thread_pool::thread_pool(thread_supply threads)
    : size_(size_of(threads)), lent_(threads.lent), crew_(std::make_unique<crew>(size_, lent_)) {}

thread_pool::~thread_pool() = default;

std::size_t thread_pool::asleep() const { return crew_->sleeping.load(std::memory_order_relaxed); }

void thread_pool::expect(std::int64_t work) { crew_->expect(work); }

void thread_pool::share(std::size_t tasks, std::int64_t work, task_order order, range_function f,
                        void* context) {
  if (work < worth_waking && crew_->all_sleep()) return f(context, 0, tasks, 0);
  crew_->function = f;
  crew_->context = context;
  crew_->order = order;
  crew_->share(tasks, work);
}

thread_pool::crew::crew(std::size_t threads, executor by) : parts(threads), lent(by) {
  if (lent.run != nullptr) return;
  workers.reserve(threads - 1);
  try {
    for (std::size_t i = 1; i < threads; ++i) workers.emplace_back([this, i] { work(i); });
  } catch (...) {
    stop();
    throw;
  }
}

/// A worker on the processor where the caller runs gets no time there for some milliseconds, and schedulers
/// of virtual machines wake it there, for they take an idle processor for one that the host has taken away.
/// So workers keep off the caller's processor, and when the caller has moved, they do at its next call.
void thread_pool::crew::leave_to_caller() noexcept {
  const int here = system::this_processor();
  if (here < 0 || here == left_free) return;
  left_free = here;
  system::keep_off(here, workers, parts.size());
}

void thread_pool::crew::stop() noexcept {
  state.fetch_or(ending, std::memory_order_release);
  system::wake_all(state);
  for (auto& worker : workers) worker.join();
}

void thread_pool::crew::expect(std::int64_t work) {
  if (sleeping.load(std::memory_order_relaxed) == 0) return;
  if (work < worth_waking && !(all_sleep() && is_long_busy(work))) return;
  leave_to_caller();
  busy_since = busy_until; // where no processor has time for a worker, not each call tries to wake it
  state.fetch_add(job);    // a number without a job: who sees it stays awake for the next
  system::wake_all(state);
}

/// Whether so much has followed each other that, had it been known, it would have been worth waking for.
/// A call may take a few times what was told, where memory bounds it: it is no rest.
bool thread_pool::crew::is_long_busy(std::int64_t work) {
  constexpr int as_long_at_most = 4;
  const auto now = std::chrono::steady_clock::now();
  if (now > busy_until + patience) busy_since = now;
  busy_until = now + as_long_at_most * std::chrono::nanoseconds(work);
  return now >= busy_since + std::chrono::nanoseconds(worth_waking);
}

void thread_pool::crew::share(std::size_t tasks, std::int64_t work) {
  for (std::size_t i = 0, first = 0; i < parts.size(); ++i) {
    const std::size_t last = first_of_part(tasks, parts.size(), i + 1);
    parts[i].next.store(0, std::memory_order_relaxed);
    parts[i].first = first, parts[i].count = last - first;
    first = last;
  }
  if (lent.run != nullptr) return share_by_executor();
  leave_to_caller();
  all_left.store(0, std::memory_order_relaxed);
  const std::uint32_t number = (state.load(std::memory_order_relaxed) & ~(job - 1)) + job;
  // Sequentially consistent: who looks for sleepers must not miss one that has not seen this.
  state.store(number | open);
  if (work >= worth_waking && sleeping.load() > 0) system::wake_all(state);
  take(0);
  const std::uint32_t closed = state.fetch_and(~open, std::memory_order_acq_rel);
  if ((closed & inside_mask) == 0) return;
  while (spin_while(all_left, 0) == 0) system::sleep_while(all_left, 0);
}

void thread_pool::crew::share_by_executor() {
  lent.run(
      lent.context, parts.size(),
      [](void* pool, std::size_t thread) { static_cast<crew*>(pool)->take(thread); }, this);
}

void thread_pool::crew::take(std::size_t thread) noexcept {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    part& from = parts[(thread + i) % parts.size()];
    std::size_t next = from.next.load(std::memory_order_relaxed);
    while (next < from.count) {
      const std::size_t count = taken_at_once(from.first + next, from.first + from.count, order.together);
      if (from.next.compare_exchange_weak(next, next + count, std::memory_order_relaxed)) {
        const std::size_t first = from.first + (order.backward ? from.count - next - count : next);
        function(context, first, first + count, thread);
        next = from.next.load(std::memory_order_relaxed);
      }
    }
  }
}

void thread_pool::crew::work(std::size_t thread) noexcept {
  std::uint32_t seen = 0;
  bool woken = false;
  while (true) {
    std::uint32_t now = state.load(std::memory_order_acquire);
    if (now & ending) return;
    if (!(now & open) || (now & ~(job - 1)) == seen) {
      // Who was woken for calls that follow each other outlasts the one that goes on without him.
      const std::chrono::nanoseconds longer(woken ? worth_waking : 0);
      if (spin_while(state, now, patience + longer) != now) continue;
      sleeping.fetch_add(1);
      system::sleep_while(state, now);
      sleeping.fetch_sub(1);
      woken = true;
      continue;
    }
    if (!state.compare_exchange_weak(now, now + inside, std::memory_order_acq_rel)) continue;
    seen = now & ~(job - 1);
    woken = false;
    take(thread);
    now = state.fetch_sub(inside, std::memory_order_acq_rel) - inside;
    if (!(now & open) && (now & inside_mask) == 0) {
      all_left.store(1);
      system::wake_one(all_left);
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
