// Memory leaves no program alive that writes or reads beside it.

#include <catch2/catch.hpp>

#include <csignal>
#include <cstddef>

#include <sys/wait.h>
#include <unistd.h>

#include <fovea/backends/pieces.hpp>
#include <fovea/base/memory.hpp>

#include "../guard/guard.hpp"

using fovea::core::test::guarded_end;

namespace {

/// The signal that ends a process which calls f, or 0.
template <class F>
int signal_of(const F& f) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGABRT, SIG_DFL);
    close(STDERR_FILENO);
    f();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

} // namespace

TEST_CASE("who leaves guarded memory ends the program") {
  const std::size_t bytes = GENERATE(1u, 64u, 4096u, 5000u);
  const guarded_end end = GENERATE(guarded_end::last, guarded_end::first);
  const auto write_at = [&](std::ptrdiff_t at) {
    auto* const memory = static_cast<unsigned char*>(fovea::core::test::allocate_guarded(bytes, end));
    volatile unsigned char* const place = memory + at;
    *place = 7;
    fovea::core::test::free_guarded(memory);
  };
  const auto size = static_cast<std::ptrdiff_t>(bytes);
  const bool whole = bytes % 4096 == 0; // then both ends lie at a page
  CHECK(signal_of([&] { write_at(0); }) == 0);
  CHECK(signal_of([&] { write_at(size - 1); }) == 0);
  CHECK(signal_of([&] { write_at(size); }) == (whole || end == guarded_end::last ? SIGSEGV : SIGABRT));
  CHECK(signal_of([&] { write_at(-1); }) == (whole || end == guarded_end::first ? SIGSEGV : SIGABRT));
  CHECK(signal_of([&] {
          int other = 0;
          fovea::core::test::free_guarded(&other);
        }) == SIGABRT);
}

TEST_CASE("the library's memory is guarded here, and each piece of it by itself") {
  const auto use = [](std::ptrdiff_t line) {
    auto* const memory = static_cast<float*>(fovea::core::allocate_lines(3 * sizeof(float)));
    volatile float* const place = memory + line * 16;
    *place = 7;
    fovea::core::free_lines(memory);
  };
  CHECK(signal_of([&] { use(0); }) == 0);
  CHECK(signal_of([&] { use(1); }) != 0);
  CHECK(signal_of([&] { use(-1); }) != 0);
  CHECK(signal_of([] {
          const std::size_t sizes[] = {16, 16, 16};
          const fovea::core::pieces made(sizes);
          volatile float* const place = made[1] + 16;
          *place = 7;
        }) != 0);
}
