#include <fovea/base/task_ranges.hpp>

#include <catch2/catch.hpp>

#include <cstddef>

using namespace fovea::core;

TEST_CASE("parts of threads cover all tasks") {
  for (std::size_t threads = 1; threads < 9; ++threads)
    for (std::size_t tasks = 0; tasks < 40; ++tasks) {
      CHECK(first_of_part(tasks, threads, 0) == 0);
      CHECK(first_of_part(tasks, threads, threads) == tasks);
    }
}

TEST_CASE("the busiest thread ends when the last task does") {
  const auto same = [](std::size_t) { return 1.0; };
  CHECK(busiest_thread(1, 7, same) == 7);
  CHECK(busiest_thread(4, 8, same) == 2);
  CHECK(busiest_thread(4, 9, same) == 3);
  CHECK(busiest_thread(64, 5, same) == 1);
  CHECK(busiest_thread(3, 0, same) == 0);
}

TEST_CASE("who has done his tasks takes those of others") {
  // Those of the second thread cost nothing: it takes what the first one has left.
  CHECK(busiest_thread(2, 8, [](std::size_t i) { return i < 4 ? 1.0 : 0.0; }) == 2);
  CHECK(busiest_thread(2, 2, [](std::size_t i) { return i == 0 ? 5.0 : 1.0; }) == 5);
}

TEST_CASE("ranges end where neighbours end that begin with the same work, but for the last ones") {
  for (const std::size_t together : {1u, 2u, 4u, 7u})
    for (std::size_t begin = 0; begin < 9; ++begin)
      for (std::size_t end = begin; end < 60; ++end)
        for (std::size_t next = begin; next < end;) {
          const std::size_t taken = taken_at_once(next, end, together);
          CAPTURE(together, next, end, taken);
          REQUIRE(taken > 0);
          REQUIRE(next + taken <= end);
          if (together > 1 && end - next >= 2 * together) CHECK((next + taken) % together == 0);
          next += taken;
        }
  CHECK(taken_at_once(0, 34, 4) == 8);
  CHECK(taken_at_once(30, 34, 4) == 2);
  CHECK(taken_at_once(33, 34, 4) == 1);
}

TEST_CASE("the busiest thread is the one of the same ranges") {
  const auto same = [](std::size_t) { return 1.0; };
  CHECK(busiest_thread(2, 44, same, 4) == 22);
  CHECK(busiest_thread(2, 3, same, 3) == 2);
}
