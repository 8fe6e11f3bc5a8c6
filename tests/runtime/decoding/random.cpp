#include <fovea/runtime/decoding/random.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <set>

using namespace fovea;
using namespace fovea::core;

namespace {

using words = std::array<std::uint32_t, 4>;

// The known answers that the authors publish (Random123, kat_vectors).
static_assert(philox({0, 0, 0, 0}, {0, 0}) == words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
              words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
              words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

} // namespace

TEST_CASE("uniform numbers fill the unit interval, and differ by seed, sequence and counter") {
  constexpr int n = 10000;
  std::set<double> all;
  double sum = 0, least = 1, greatest = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double u = uniform(1, 2, i);
    sum += u;
    least = std::min(least, u);
    greatest = std::max(greatest, u);
    all.insert({u, uniform(2, 2, i), uniform(1, 3, i), uniform(1, 2, i << 32 | 1u << 31),
                uniform(1, i << 32 | 1u << 31, 2), uniform(i << 32 | 1u << 31, 1, 2)});
  }
  CHECK(all.size() == 6 * n);
  CHECK(least >= 0);
  CHECK(greatest < 1);
  CHECK(std::abs(sum / n - 0.5) < 5 * std::sqrt(1.0 / 12 / n));
}
