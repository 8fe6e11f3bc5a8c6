#include "meeting.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstddef>
#include <fovea/base/threads.hpp>
#include <sched.h>

using fovea::core::thread_pool;
using namespace fovea::core::test;

TEST_CASE("workers keep off the processor on which the caller runs") {
  const auto allowed = [] {
    cpu_set_t usable;
    return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 0;
  };
  const int all = allowed();
  thread_pool pool(2);
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> of_worker{0};
    meet(pool, much, [&](std::size_t thread) {
      if (thread == 1) of_worker = allowed();
    });
    CHECK(of_worker == std::max(1, all - 1)); // of one processor there is no other
    CHECK(allowed() == all);
    wait_until_asleep(pool);
  }
}

TEST_CASE("a processor that is not allowed is none that is usable") {
  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(fovea::usable_processors() == 1);
  CHECK(thread_pool().size() == 1);
  sched_setaffinity(0, sizeof before, &before);
  CHECK(fovea::usable_processors() == static_cast<std::size_t>(CPU_COUNT(&before)));
}
