#pragma once

#include <atomic>
#include <cstdint>
#include <fovea/base/threads.hpp>
#include <limits>
#include <thread>

namespace fovea::core::test {

// What threads do is asked for by waiting until it has happened, however long a machine takes for it; where
// it never happens, the test's time limit ends it.

/// Returns when all workers sleep.
inline void wait_until_asleep(const thread_pool& pool) {
  while (pool.asleep() < pool.size() - 1) std::this_thread::yield();
}

/// A place where threads wait until so many of them have come.
class meeting {
public:
  explicit meeting(std::size_t threads) : missing_(threads) {}
  void attend() {
    --missing_;
    while (missing_ > 0) std::this_thread::yield();
  }

private:
  std::atomic<std::size_t> missing_;
};

/// One task for each thread, which ends when each has begun its own; f(thread) in each.
template <class F>
void meet(thread_pool& pool, std::int64_t work, F f) {
  meeting all(pool.size());
  pool.run(pool.size(), work, [&](std::size_t, std::size_t, std::size_t thread) {
    all.attend();
    f(thread);
  });
}

inline constexpr std::int64_t much = std::numeric_limits<std::int64_t>::max();

} // namespace fovea::core::test
