#pragma once

#include <fovea/base/task_order.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

namespace fovea::core {

/// Processors that this thread may run on.
std::size_t usable_processors();

/// Threads that someone else lends: `run(context, count, task, job)` calls task(job, i) for 0 <= i < count, each once, on
/// whatever threads it likes, and returns when all have returned. `task` does not throw.
struct executor {
  void (*run)(void* context, std::size_t count, void (*task)(void* job, std::size_t i), void* job) = nullptr;
  void* context = nullptr;
};

/// How many threads share the work of a net (0: one for each usable processor), and whose they are: its own, or those of an
/// executor.
struct thread_supply {
  int count = 0;
  executor lent = {};

  template <std::integral number>
  constexpr thread_supply(number threads, executor by = {}) : count(static_cast<int>(threads)), lent(by) {}
  constexpr operator int() const { return count; }
};

/// A fork-join pool: the caller and its workers share the tasks of one call, and `run` returns when all are
/// done. Nothing is allocated by `run`. A worker that no processor has time for delays nobody: the caller
/// waits for workers that have begun, never for one that has yet to wake. Waiting spins for some tens of
/// microseconds (the gap between two kernels), a worker's that was just woken a hundred more, then sleeps.
/// Each thread begins with a part of the tasks that is its own, the same in each call, for its caches often
/// hold what these read; who has done his takes of the others'. Where there is a processor for each thread,
/// workers keep off the caller's (on Linux). Where the system has no threads, the caller is alone; where it has
/// a few, a pool has those that no other has. One thread at a time calls `run` and `expect`, and tasks do not.
class thread_pool {
public:
  /// Throws std::system_error when a thread can't be started. With an executor it starts none.
  explicit thread_pool(thread_supply threads = 0);
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  /// Threads that share the work, the caller among them.
  std::size_t size() const { return size_; }
  /// For another pool like this.
  thread_supply supply() const { return {size_, lent_}; }
  /// Workers that sleep. One that no call follows falls asleep sooner or later.
  std::size_t asleep() const;

  /// Whether `run` has threads share so many tasks; else the caller does them alone.
  bool shares(std::size_t tasks, std::int64_t work) const {
    return size_ > 1 && tasks > 1 && work >= least_shared;
  }

  /// Calls f(first, last, thread) for ranges that cover 0 <= i < tasks once each; `thread` < size() tells
  /// calls that run at the same time apart (for scratch memory). f must not throw. By `work`, a rough
  /// estimate of what all tasks take one thread, in nanoseconds, the caller does alone what is not worth
  /// sharing, or not worth waking workers for.
  template <class F>
  void run(std::size_t tasks, std::int64_t work, F&& f, task_order order = {}) {
    using function = std::remove_reference_t<F>;
    if (tasks == 0) return;
    if (!shares(tasks, work)) {
      f(std::size_t{0}, tasks, std::size_t{0});
      return;
    }
    share(
        tasks, work, order,
        [](void* context, std::size_t first, std::size_t last, std::size_t thread) {
          (*static_cast<function*>(context))(first, last, thread);
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(f))));
  }
  template <class F>
  void run(std::size_t tasks, F&& f) {
    run(tasks, std::numeric_limits<std::int64_t>::max(), static_cast<F&&>(f));
  }

  /// Says that calls of `run` follow at once that are so much work together: wakes workers that sleep, where
  /// they come in time to help, or where such calls have followed each other for long.
  void expect(std::int64_t work);

private:
  using range_function = void (*)(void* context, std::size_t first, std::size_t last, std::size_t thread);
  struct crew;

  void share(std::size_t tasks, std::int64_t work, task_order order, range_function f, void* context);

  static constexpr std::int64_t least_shared =
      2'000; // sharing with workers that are awake takes about half of it

  std::size_t size_;
  executor lent_;
  std::unique_ptr<crew> crew_;
};

/// A pool for a net: its own, or where the system has a few threads for all nets, one that they share.
std::shared_ptr<thread_pool> pool_of(thread_supply threads);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::usable_processors;
} // namespace fovea
