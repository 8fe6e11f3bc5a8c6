#include "kernel_sets.hpp"
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <fovea/base/half.hpp>

using namespace fovea::core;
using namespace fovea::core::simd;

namespace {

std::vector<float> kept(const kernel_table& table, const std::vector<float>& x, std::size_t width,
                        weight_format format) {
  std::vector<float> out(x.size() / width * kept_floats(format, width));
  const keep_args args{
      .x = x.data(), .rows = x.size() / width, .width = width, .out = out.data(), .format = format};
  for (std::size_t task = table.keep->tasks(args); task-- > 0;) table.keep->run(args, task, task + 1);
  return out;
}

/// Of all exponents that float32 has, the sign and the fraction at random.
std::vector<float> of_all_sizes(std::size_t count, std::mt19937& random) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = std::bit_cast<float>((static_cast<std::uint32_t>(random()) & 0x807fffffu) |
                                   static_cast<std::uint32_t>(i % 255) << 23);
  return made;
}

} // namespace

TEST_CASE("rows are kept in 16 bits by rounding to the nearest") {
  std::mt19937 random(11);
  for (const auto* table : kernel_sets())
    for (const std::size_t width : {2u, 30u, 64u, 66u}) {
      CAPTURE(table->set.name, width);
      const auto x = of_all_sizes(40 * width, random);
      const auto halves = kept(*table, x, width, format_named<f16>),
                 bfloats = kept(*table, x, width, format_named<bf16>);
      bool right = true;
      for (std::size_t i = 0; i < x.size(); ++i) {
        std::uint16_t half, bfloat;
        std::memcpy(&half, reinterpret_cast<const char*>(halves.data()) + 2 * i, 2);
        std::memcpy(&bfloat, reinterpret_cast<const char*>(bfloats.data()) + 2 * i, 2);
        const float limited = std::abs(x[i]) < 65504.0f ? x[i] : std::copysign(65504.0f, x[i]);
        right &= half == to_half(limited) && bfloat == to_bfloat(x[i]);
      }
      CHECK(right);
    }
}

TEST_CASE("rows are kept in eight bits, 32 of them by one scale") {
  std::mt19937 random(12);
  for (const auto* table : kernel_sets()) {
    CAPTURE(table->set.name);
    const std::size_t width = 96;
    auto x = random_floats(5 * width, random);
    for (std::size_t i = 0; i < 32; ++i) x[i] = 0;
    const auto blocks = kept(*table, x, width, format_named<q8_0>);
    bool right = true;
    for (std::size_t g = 0; g < x.size() / 32; ++g) {
      float largest = 0;
      for (std::size_t i = 0; i < 32; ++i) largest = std::max(largest, std::abs(x[g * 32 + i]));
      const float scale = blocks[g * 9];
      right &= scale == largest / 127;
      for (std::size_t i = 0; i < 32; ++i) {
        const auto value = static_cast<float>(reinterpret_cast<const std::int8_t*>(&blocks[g * 9 + 1])[i]);
        right &= std::abs(value * scale - x[g * 32 + i]) <= 0.5001f * scale;
      }
    }
    CHECK(right);
  }
}
