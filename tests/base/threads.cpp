#include "meeting.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <fovea/base/threads.hpp>
#include <initializer_list>
#include <limits>
#include <thread>
#include <vector>

using fovea::core::thread_pool;
using namespace fovea::core::test;

TEST_CASE("every task runs exactly once, in every order") {
  for (const std::size_t threads : {1u, 2u, 3u, 8u}) {
    thread_pool pool(threads);
    CHECK(pool.size() == threads);
    for (const fovea::core::task_order order :
         std::initializer_list<fovea::core::task_order>{{}, {.backward = true}, {.together = 4}})
      for (std::size_t tasks = 0; tasks <= 70; ++tasks) {
        std::vector<std::atomic<int>> runs(tasks);
        pool.run(
            tasks, std::numeric_limits<std::int64_t>::max(),
            [&](std::size_t first, std::size_t last, std::size_t) {
              for (std::size_t i = first; i < last; ++i) ++runs[i];
            },
            order);
        bool once = true;
        for (const auto& r : runs) once = once && r == 1;
        CHECK(once);
      }
  }
}

TEST_CASE("what the tasks wrote is there when run returns") {
  thread_pool pool(4);
  std::vector<std::size_t> values(1000);
  bool right = true;
  for (std::size_t round = 0; round < 3000; ++round) {
    pool.run(values.size(), [&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t i = first; i < last; ++i) values[i] = i + round;
    });
    for (std::size_t i = 0; i < values.size(); i += 37) right = right && values[i] == i + round;
  }
  CHECK(right);
}

TEST_CASE("ranges that run at the same time have different thread numbers") {
  thread_pool pool(3);
  std::atomic<int> busy[3] = {};
  std::atomic<bool> shared{false};
  for (int round = 0; round < 500; ++round)
    pool.run(64, [&](std::size_t, std::size_t, std::size_t thread) {
      if (thread >= 3 || busy[thread]++ != 0) shared = true;
      --busy[thread];
    });
  CHECK_FALSE(shared);
}

namespace {

/// Threads that a caller lends: a new one for each task but the first. With `alone`, the caller's own does all of them.
struct lent_threads {
  bool alone;
  std::size_t calls = 0, tasks = 0;

  static void run(void* context, std::size_t count, void (*task)(void*, std::size_t), void* job) {
    auto& self = *static_cast<lent_threads*>(context);
    ++self.calls, self.tasks += count;
    std::vector<std::thread> started;
    for (std::size_t i = 1; i < count && !self.alone; ++i) started.emplace_back(task, job, i);
    for (std::size_t i = 0; i < (self.alone ? count : 1); ++i) task(job, i);
    for (std::thread& t : started) t.join();
  }
};

} // namespace

TEST_CASE("an executor's threads take the place of a pool's own", "[threads]") {
  for (const bool alone : {false, true}) {
    lent_threads lent{alone};
    thread_pool pool({3, {lent_threads::run, &lent}});
    CHECK(pool.size() == 3);
    CHECK(pool.asleep() == 0);
    for (std::size_t tasks = 2; tasks <= 40; ++tasks) {
      std::vector<std::atomic<int>> runs(tasks);
      std::array<std::atomic<int>, 3> inside{};
      std::atomic<bool> apart = true;
      pool.run(tasks, [&](std::size_t first, std::size_t last, std::size_t thread) {
        if (inside[thread]++ != 0) apart = false;
        for (std::size_t i = first; i < last; ++i) ++runs[i];
        --inside[thread];
      });
      CHECK(std::all_of(runs.begin(), runs.end(), [](const auto& r) { return r == 1; }));
      CHECK(apart);
    }
    CHECK(lent.calls == 39);
    CHECK(lent.tasks == 39 * 3);
    pool.run(4, 1, [](std::size_t, std::size_t, std::size_t) {}); // which is not worth sharing
    CHECK(lent.calls == 39);
    thread_pool another(pool.supply());
    another.run(4, [](std::size_t, std::size_t, std::size_t) {});
    CHECK(lent.calls == 40);
  }
}

TEST_CASE("workers that have fallen asleep wake for the next call") {
  thread_pool pool(2);
  for (int round = 0; round < 5; ++round) {
    wait_until_asleep(pool);
    std::atomic<int> ran{0};
    meet(pool, much, [&](std::size_t) { ++ran; });
    CHECK(ran == 2);
  }
}

namespace {

/// Runs 16 tasks by two threads, each of which goes on from its first range when both have begun; returns the
/// first ranges of both.
std::array<std::array<std::size_t, 2>, 2> first_ranges(thread_pool& pool, bool backward) {
  std::array<std::array<std::size_t, 2>, 2> ranges{};
  bool begun[2] = {};
  meeting both(2);
  std::atomic<std::size_t> runs{0};
  pool.run(16, much,
           [&](std::size_t first, std::size_t last, std::size_t thread) {
             runs += last - first;
             if (begun[thread]) return;
             begun[thread] = true;
             ranges[thread] = {first, last};
             both.attend();
           },
           {.backward = backward});
  CHECK(runs == 16);
  return ranges;
}

} // namespace

TEST_CASE("each thread begins with tasks of its own, and takes what others leave") {
  thread_pool pool(2);
  for (int round = 0; round < 50; ++round) {
    const auto ranges = first_ranges(pool, false);
    CHECK(ranges[0][0] == 0);
    CHECK(ranges[1][0] == 8);
  }
}

TEST_CASE("backward, each thread goes through its tasks from the end") {
  thread_pool pool(2);
  for (int round = 0; round < 50; ++round) {
    const auto ranges = first_ranges(pool, true);
    CHECK(ranges[0][1] == 8);
    CHECK(ranges[1][1] == 16);
  }
}

namespace {

/// How many threads run tasks that are so much work together, none of them waiting for another.
int threads_that_share(thread_pool& pool, std::int64_t work, std::int64_t expected) {
  pool.expect(expected);
  std::atomic<bool> ran[2] = {};
  pool.run(20, work, [&](std::size_t, std::size_t, std::size_t thread) { ran[thread] = true; });
  return ran[0] + ran[1];
}

} // namespace

TEST_CASE("what is less than the overhead of sharing stays with the caller") {
  thread_pool pool(2);
  for (int round = 0; round < 5; ++round) {
    CHECK(threads_that_share(pool, 100, 100) == 1);
    CHECK(threads_that_share(pool, 100, 1'000'000) == 1);
  }
}

TEST_CASE("nobody is woken for a little, and all for much") {
  thread_pool pool(2);
  // Who counts as asleep may still be about to fall asleep, and then sees the call by himself.
  bool slept_on = false;
  for (int round = 0; round < 5 || (round < 1000 && !slept_on); ++round) {
    wait_until_asleep(pool);
    slept_on |= threads_that_share(pool, 10'000, 10'000) == 1 && pool.asleep() == 1;
    std::atomic<int> ran{0};
    pool.expect(1'000'000);
    meet(pool, 1'000'000, [&](std::size_t) { ++ran; });
    CHECK(ran == 2);
  }
  CHECK(slept_on);
}

TEST_CASE("many small calls wake the workers, too") {
  // On one processor a worker runs only while the caller does not, and seldom finds a job.
  if (fovea::usable_processors() == 1) return;
  struct call {
    std::int64_t told;              // in nanoseconds
    std::chrono::microseconds task; // of ten that a call has
  };
  // Calls follow each other without rest. The second take three times what they say, as where memory bounds them.
  for (const call each :
       {call{10'000, std::chrono::microseconds(1)}, call{30'000, std::chrono::microseconds(10)}}) {
    CAPTURE(each.told);
    thread_pool pool(2);
    wait_until_asleep(pool);
    for (std::atomic<bool> shared{false}; !shared;) {
      pool.expect(each.told);
      pool.run(10, each.told, [&](std::size_t first, std::size_t last, std::size_t thread) {
        if (thread == 1) shared = true;
        const auto until = std::chrono::steady_clock::now() + (last - first) * each.task;
        while (std::chrono::steady_clock::now() < until) {
        }
      });
    }
  }
}

TEST_CASE("work of every size, with rests and without, is done once") {
  for (const std::size_t threads : {2u, 3u, 5u}) {
    thread_pool pool(threads);
    bool once = true;
    for (unsigned round = 0; round < 4000; ++round) {
      const std::size_t tasks = round * 7 % 40;
      const std::int64_t work = std::int64_t{1} << round % 24;
      std::vector<std::size_t> runs(tasks); // not atomic: what one thread wrote is seen by the caller
      if (round % 3 == 0) pool.expect(work);
      pool.run(tasks, work, [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t i = first; i < last; ++i) ++runs[i];
      });
      for (const std::size_t r : runs) once = once && r == 1;
      if (round % 64 == 0) wait_until_asleep(pool);
    }
    CHECK(once);
  }
}

TEST_CASE("pools come and go, used or not") {
  for (int round = 0; round < 200; ++round) {
    thread_pool pool(3);
    int sum = 0;
    if (round % 2)
      pool.run(1, [&](std::size_t first, std::size_t last, std::size_t) {
        sum += static_cast<int>(last - first);
      });
    CHECK(sum == round % 2);
  }
}

TEST_CASE("one thread for each usable processor unless told otherwise", "[threads]") {
  CHECK(thread_pool().size() == fovea::usable_processors());
}
