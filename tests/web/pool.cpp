// The pool's own tests as a module, for JavaScript starts the threads before it calls them.

#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <fovea/base/threads.hpp>
#include <vector>

TEST_CASE("tasks may take memory, and give it back") {
  fovea::core::thread_pool pool(4);
  std::atomic<std::size_t> right{0};
  constexpr std::size_t rounds = 300, tasks = 64;
  for (std::size_t round = 0; round < rounds; ++round)
    pool.run(tasks, [&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t i = first; i < last; ++i) {
        const std::vector<std::size_t> values(100 + (i * 37 + round) % 5000, i), copy = values;
        if (copy.front() == i && copy.back() == i) ++right;
      }
    });
  CHECK(right == rounds * tasks);
}

extern "C" int run_tests() {
  constexpr std::array<const char*, 2> words{"pool", "~[threads]"};
  return Catch::Session().run(static_cast<int>(words.size()), words.data());
}
