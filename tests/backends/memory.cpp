#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <fovea/backends/memory.hpp>
#include <memory>

namespace {

constexpr std::size_t line = 64, huge_page = std::size_t{2} << 20;

struct release {
  void operator()(void* memory) const { std::free(memory); }
};

} // namespace

TEST_CASE(
    "memory begins at a cache line, or at a huge page where it holds one, and all of it can be written") {
  const auto bytes =
      GENERATE(std::size_t{0}, 1, 64, 65, huge_page - 1, huge_page, huge_page + 1, 3 * huge_page + 7);
  const std::unique_ptr<void, release> memory(fovea::allocate_lines(bytes));
  REQUIRE(memory != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(memory.get()) % (bytes < huge_page ? line : huge_page) == 0);
  auto* first = static_cast<unsigned char*>(memory.get());
  const std::size_t lines = std::max((bytes + line - 1) / line, std::size_t{1}); // whole ones, at least one
  std::fill(first, first + lines * line, static_cast<unsigned char>(7));
  CHECK(first[lines * line - 1] == 7);
}
