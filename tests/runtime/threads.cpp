#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <fovea/runtime/threads.hpp>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

using fovea::thread_pool;

TEST_CASE("every task runs exactly once") {
  for (const std::size_t threads : {1u, 2u, 3u, 8u}) {
    thread_pool pool(threads);
    CHECK(pool.size() == threads);
    for (std::size_t tasks = 0; tasks <= 70; ++tasks) {
      std::vector<std::atomic<int>> runs(tasks);
      pool.run(tasks, [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t i = first; i < last; ++i) ++runs[i];
      });
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

TEST_CASE("workers that have fallen asleep wake for the next call") {
  thread_pool pool(2);
  std::mutex guard;
  std::set<std::thread::id> seen;
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool.run(20, [&](std::size_t first, std::size_t last, std::size_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(last - first));
      std::lock_guard lock(guard);
      seen.insert(std::this_thread::get_id());
    });
  }
  CHECK(seen.size() == 2);
}

#ifdef __linux__
TEST_CASE("workers keep off the processor on which the caller runs") {
  const auto processors = [] {
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
  };
  const int all = processors();
  thread_pool pool(2);
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> of_worker{0};
    for (int call = 0; call < 50 && of_worker == 0; ++call) // until a worker takes part
      pool.run(20, [&](std::size_t first, std::size_t last, std::size_t thread) {
        std::this_thread::sleep_for(std::chrono::milliseconds(last - first));
        if (thread == 1) of_worker = processors();
      });
    CHECK(of_worker == std::max(1, all - 1)); // of one processor there is no other
    CHECK(processors() == all);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}
#endif

TEST_CASE("each thread begins with tasks of its own, and takes what others leave") {
  thread_pool pool(2);
  // Both are awake and wait for each other, so that each runs what it begins with.
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> begun{0};
    std::size_t begin[2] = {99, 99};
    std::atomic<std::size_t> runs{0};
    pool.run(16, [&](std::size_t first, std::size_t last, std::size_t thread) {
      runs += last - first;
      if (begin[thread] != 99) return;
      begin[thread] = first;
      ++begun;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
      while (begun < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    });
    CHECK(runs == 16);
    CHECK(begin[0] == 0);
    CHECK((begin[1] == 8 || begun == 1));
  }
}

TEST_CASE("backward, each thread goes through its tasks from the end") {
  for (const std::size_t threads : {1u, 2u, 3u}) {
    thread_pool pool(threads);
    for (std::size_t tasks = 0; tasks <= 70; ++tasks) {
      std::vector<std::atomic<int>> runs(tasks);
      pool.run(
          tasks, std::numeric_limits<std::int64_t>::max(),
          [&](std::size_t first, std::size_t last, std::size_t) {
            for (std::size_t i = first; i < last; ++i) ++runs[i];
          },
          true);
      bool once = true;
      for (const auto& r : runs) once = once && r == 1;
      CHECK(once);
    }
  }
  // Both are awake and wait for each other, so that each runs what it begins with.
  thread_pool pool(2);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> begun{0};
    std::size_t end_of_first[2] = {99, 99};
    pool.run(
        16, std::numeric_limits<std::int64_t>::max(),
        [&](std::size_t, std::size_t last, std::size_t thread) {
          if (end_of_first[thread] != 99) return;
          end_of_first[thread] = last;
          ++begun;
          const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
          while (begun < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        },
        true);
    CHECK(end_of_first[0] == 8);
    CHECK((end_of_first[1] == 16 || begun == 1));
  }
}

namespace {

/// How many threads run tasks that are so much work together, after a rest that lets workers fall asleep.
int threads_that_share(thread_pool& pool, std::int64_t work, std::int64_t expected,
                       std::chrono::milliseconds rest = std::chrono::milliseconds(5)) {
  std::this_thread::sleep_for(rest);
  pool.expect(expected);
  std::atomic<bool> ran[2] = {};
  pool.run(20, work, [&](std::size_t first, std::size_t last, std::size_t thread) {
    ran[thread] = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(last - first));
  });
  return ran[0] + ran[1];
}

/// Whether so many share, at the latest after long rests: on a machine that others use a worker may have had
/// no time to fall asleep, or to come.
bool share_in_the_end(thread_pool& pool, int threads, std::int64_t work) {
  for (std::chrono::milliseconds rest(5); rest < std::chrono::seconds(2); rest *= 2)
    if (threads_that_share(pool, work, work, rest) == threads) return true;
  return false;
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
  for (int round = 0; round < 5; ++round) {
    CHECK(share_in_the_end(pool, 1, 10'000));
    CHECK(share_in_the_end(pool, 2, 1'000'000));
  }
}

TEST_CASE("many small calls wake the workers, too") {
  // On one processor a worker runs only while the caller does not, and seldom finds a job.
  if (fovea::usable_processors() == 1) return;
  thread_pool pool(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  bool shared = false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!shared && std::chrono::steady_clock::now() < end) {
    pool.expect(10'000);
    std::atomic<bool> worked{false};
    pool.run(10, 10'000, [&](std::size_t first, std::size_t last, std::size_t thread) {
      if (thread == 1) worked = true;
      const auto until = std::chrono::steady_clock::now() + (last - first) * std::chrono::microseconds(1);
      while (std::chrono::steady_clock::now() < until) {
      }
    });
    shared = worked;
  }
  CHECK(shared);
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
      if (round % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(round % 128));
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

TEST_CASE("one thread for each usable processor unless told otherwise") {
  CHECK(thread_pool().size() == fovea::usable_processors());
#ifdef __linux__
  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(fovea::usable_processors() == 1);
  CHECK(thread_pool().size() == 1);
  sched_setaffinity(0, sizeof before, &before);
  CHECK(fovea::usable_processors() == static_cast<std::size_t>(CPU_COUNT(&before)));
#endif
}
