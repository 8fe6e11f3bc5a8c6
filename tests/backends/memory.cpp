#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <fovea/backends/pieces.hpp>
#include <fovea/base/memory.hpp>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t line = 64, huge_page = std::size_t{2} << 20;

struct release {
  void operator()(void* memory) const { fovea::core::free_lines(memory); }
};

} // namespace

TEST_CASE(
    "memory begins at a cache line, or at a huge page where it holds one, and all of it can be written") {
  const auto bytes =
      GENERATE(std::size_t{0}, 1, 64, 65, huge_page - 1, huge_page, huge_page + 1, 3 * huge_page + 7);
  const std::unique_ptr<void, release> memory(fovea::core::allocate_lines(bytes));
  REQUIRE(memory != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(memory.get()) % (bytes < huge_page ? line : huge_page) == 0);
  auto* first = static_cast<unsigned char*>(memory.get());
  const std::size_t lines = std::max((bytes + line - 1) / line, std::size_t{1}); // whole ones, at least one
  std::fill(first, first + lines * line, static_cast<unsigned char>(7));
  CHECK(first[lines * line - 1] == 7);
}

TEST_CASE("memory that was written is zeros again, to its last byte") {
  const auto bytes = GENERATE(std::size_t{64}, huge_page - 64, 3 * huge_page + 640);
  const std::unique_ptr<void, release> memory(fovea::core::allocate_lines(bytes));
  auto* first = static_cast<unsigned char*>(memory.get());
  std::fill(first, first + bytes, static_cast<unsigned char>(7));
  fovea::core::zero_lines(first, bytes);
  CHECK(std::all_of(first, first + bytes, [](unsigned char x) { return x == 0; }));
}

TEST_CASE("pieces of memory are zeros, of whole lines and apart") {
  REQUIRE(fovea::core::pieces_lie_together());
  const std::size_t sizes[] = {1, 16, 17, 0, 5};
  fovea::core::pieces made(sizes, 16);
  CHECK(made.size() == 16 + 16 + 32 + 0 + 16 + 5 * 16);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(reinterpret_cast<std::uintptr_t>(made[i]) % line == 0);
    CHECK(std::all_of(made[i], made[i] + sizes[i], [](float x) { return x == 0; }));
    if (i > 0)
      CHECK(made[i] - made[i - 1] == static_cast<std::ptrdiff_t>((sizes[i - 1] + 15) / 16 * 16 + 16));
  }
  const float other[3] = {};
  CHECK(made.hold({made[2] + 7, 3}));
  CHECK(made.hold({made[0], 1}));
  CHECK_FALSE(made.hold(other));
  made[4][4] = 5;
  fovea::core::pieces copied = made;
  CHECK(copied[4] != made[4]);
  CHECK(copied[4][4] == 5);
  const float* const own = copied[4];
  copied[4][4] = 6;
  made = copied;
  CHECK(made[4][4] == 6);
  CHECK(copied[4] == own);
  const float* const begin = made[1];
  const fovea::core::pieces moved = std::move(made);
  CHECK(moved[1] == begin);
}

TEST_CASE("what no address reaches is refused") {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  CHECK_THROWS_AS(fovea::core::allocate_lines(all), std::bad_alloc);
  CHECK_THROWS_AS(fovea::core::allocate_lines(all - line + 2), std::bad_alloc);
  CHECK_THROWS_AS(fovea::core::aligned_allocator<float>().allocate(all / 4 + 2), std::bad_alloc);
  // Together as many floats as there are numbers, and eight more.
  const std::vector<std::size_t> eighths(8, all / 8 + 2);
  CHECK_THROWS_AS(fovea::core::pieces(eighths), std::bad_alloc);
}
