#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <fovea/runtime/threads.hpp>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

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

TEST_CASE("one thread for each processor unless told otherwise") {
  CHECK(thread_pool().size() == std::max(1u, std::thread::hardware_concurrency()));
}
