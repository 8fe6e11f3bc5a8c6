#pragma once

#include "faults.hpp"

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <exception>
#include <filesystem>
#include <new>
#include <string>

namespace fovea::core::test {

inline auto open_files() { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); }

/// What an exception says, nothing of std::bad_alloc; other ones are thrown on.
inline std::string said_by(const std::exception_ptr& problem) {
  try {
    if (problem) std::rethrow_exception(problem);
  } catch (const error& said) {
    return said.what();
  } catch (const std::bad_alloc&) {
  }
  return "";
}

/// Runs `work` with its first allocation failing, then its second, ..., until it needs no more; then the same
/// with all behind the one failing too. It throws fovea::error or std::bad_alloc, and leaks neither memory
/// nor open files. `see(said, all_after)` looks at each run that failed: `said` by the error, nothing by
/// std::bad_alloc.
template <class F, class G>
void each_allocation_fails(const std::string& what, const F& work, const G& see) {
  work(); // what is made once in a program
  for (const bool all_after : {false, true})
    for (long number = 0;; ++number) {
      INFO(what << ": allocation " << number << (all_after ? " and all behind it" : ""));
      const auto files = open_files();
      const long blocks = blocks_in_use();
      std::exception_ptr problem;
      bool struck = false;
      {
        const failing_allocations now(number, all_after);
        try {
          work();
        } catch (...) {
          problem = std::current_exception();
        }
        struck = failing_allocations::have_struck();
      }
      const bool refused = problem != nullptr;
      {
        const std::string said = said_by(problem);
        problem = nullptr;
        if (refused) see(said, all_after);
      }
      if (blocks_in_use() != blocks) FAIL_CHECK(blocks_in_use() - blocks << " blocks more");
      if (open_files() != files) FAIL_CHECK("a file is left open");
      if (struck) continue;
      CHECK_FALSE(refused);
      break;
    }
}

} // namespace fovea::core::test
