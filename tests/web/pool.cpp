// The pool's own tests as a module, for JavaScript starts the threads before it calls them.

#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <array>

extern "C" int run_tests() {
  constexpr std::array<const char*, 2> words{"pool", "~[threads]"};
  return Catch::Session().run(static_cast<int>(words.size()), words.data());
}
