#include "../each_format.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <fovea/base/half.hpp>
#include <fovea/weights/blocks.hpp>
#include <fovea/weights/from_floats.hpp>
#include <fovea/weights/to_floats.hpp>
#include <random>
#include <vector>

using namespace fovea;
using namespace fovea::core;

namespace {

const std::vector<element_type> types = [] {
  std::vector<element_type> made;
  test::for_formats_of_files([&]<class format>(format) { made.push_back(traits_of<format>.stored); });
  return made;
}();

std::size_t stored_bytes(element_type type, std::size_t count) {
  const std::size_t unit = block_length(type);
  return (count + unit - 1) / unit * block_bytes(type);
}
std::vector<std::byte> written(element_type type, const std::vector<float>& values) {
  std::vector<std::byte> bytes(stored_bytes(type, values.size()));
  from_floats(type, values, bytes.data());
  return bytes;
}
std::vector<float> read(element_type type, const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / block_bytes(type) * block_length(type));
  to_floats(type, bytes, values.data());
  return values;
}

/// f(an empty block) of a type that has blocks.
template <class F>
void with_written_block(element_type type, const F& f) {
  gguf_blocks::all::find(type, [&]<class block>(block of) {
    if constexpr (gguf_blocks::has_steps<block>) f(of);
  });
}

bool is_k(element_type type) { return block_length(type) > 32; }

/// How far a value may be from its rounding, in a block whose largest magnitude is given.
double allowed(element_type type, double value, double largest) {
  if (type == element_type::f16) return std::max(std::abs(value) * 0x1p-11, 0x1p-25);
  if (type == element_type::bf16) return std::abs(value) * 0x1p-8;
  // A step, and what scales are rounded by; steps of a group may leave out what lies outside most of it.
  if (type == element_type::q4_k) return largest / 5 + 0x1p-24 * 15;
  if (type == element_type::q6_k) return largest / 16 + 0x1p-24 * 32 * 128;
  double most = 0, steps = 0;
  with_written_block(type, [&](auto block) { // one step fewer one way: a whole step at the end
    most = std::abs(block.greatest), steps = block.greatest > 0 ? 0.5 : 1;
  });
  // The scale itself is rounded, as a half float, of which the small ones have fewer digits.
  return largest / most * steps + std::max(largest * 0x1p-11, most * 0x1p-25);
}

} // namespace

TEST_CASE("values come back within half a step of their format, whatever their number") {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const element_type type : types)
    for (const std::size_t count : {1u, 2u, 31u, 32u, 33u, 64u, 97u, 500u})
      for (const float size : {1e-3f, 1.f, 300.f}) {
        CAPTURE(element_name(type), count, size);
        std::vector<float> values(count);
        for (float& x : values) x = size * normal(random);
        const auto back = read(type, written(type, values));
        for (std::size_t i = 0; i < back.size(); ++i) {
          if (i >= count && !is_k(type)) {
            CHECK(back[i] == 0);
            continue;
          }
          double largest = 0;
          const std::size_t together = std::max<std::size_t>(32, block_length(type)),
                            first = i / together * together;
          for (std::size_t k = first; k < std::min(count, first + together); ++k)
            largest = std::max(largest, std::abs(static_cast<double>(values[k])));
          const double x = i < count ? static_cast<double>(values[i]) : 0;
          CHECK(std::abs(static_cast<double>(back[i]) - x) <= allowed(type, x, largest));
        }
      }
}

TEST_CASE("what a format holds comes out unchanged, whatever scale another program chose") {
  std::mt19937 random(4);
  for (const element_type type : types)
    for (int round = 0; round < 2000 && !is_k(type); ++round) {
      // Any bytes, but of finite numbers; in half of the blocks the steps are few.
      std::vector<std::byte> bytes(stored_bytes(type, 32));
      for (auto& b : bytes) b = static_cast<std::byte>(random());
      if (block_length(type) == 1) {
        for (std::size_t i = 1; i < bytes.size(); i += 2) bytes[i] &= std::byte{0xbb};
      } else {
        const auto scale = static_cast<std::uint16_t>(random() & 0xbbff);
        std::memcpy(bytes.data(), &scale, sizeof scale);
        if (round % 2 == 1)
          with_written_block(type, [&]<class block>(block of) {
            constexpr unsigned few = 7;
            gguf_blocks::whole_numbers steps;
            for (int& step : steps)
              step = static_cast<int>(random() % few) * of.highest / 40 - of.highest / 14;
            of = block::of(scale, steps);
            std::memcpy(bytes.data(), &of, sizeof of);
          });
      }
      const auto values = read(type, bytes);
      CAPTURE(element_name(type), round);
      CHECK(read(type, written(type, values)) == values);
    }
}

TEST_CASE("every float16 and every bfloat16 is its own rounding, and of two neighbours the even one") {
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    REQUIRE(to_half(from_half(half)) == half);
    REQUIRE(to_half(-from_half(half)) == (half | 0x8000));
    if (bits + 1 == 0x7c00) continue;
    const float next = from_half(static_cast<std::uint16_t>(bits + 1)), middle = (from_half(half) + next) / 2;
    REQUIRE(to_half(middle) == bits + bits % 2);
    REQUIRE(to_half(std::nextafter(middle, 0.f)) == bits);
    REQUIRE(to_half(std::nextafter(middle, 1e9f)) == bits + 1);
  }
  for (std::uint32_t bits = 0; bits < 0x7f80; ++bits) {
    const auto high = static_cast<std::uint16_t>(bits);
    REQUIRE(to_bfloat(from_bfloat(high)) == high);
    const float middle = std::bit_cast<float>(bits << 16 | 0x8000u);
    if (bits + 1 < 0x7f80) REQUIRE(to_bfloat(middle) == bits + bits % 2);
  }
}

TEST_CASE("zeros stay zeros, and the largest values have a number") {
  for (const element_type type : types) {
    std::vector<float> values(std::max<std::size_t>(32, block_length(type)));
    CHECK(read(type, written(type, values)) == values);
    for (const float sign : {1.f, -1.f}) {
      values[5] = sign * largest_value(type);
      const auto back = read(type, written(type, values));
      if (is_k(type))
        CHECK(back[5] == Approx(values[5]).epsilon(1e-3));
      else
        CHECK(back == values);
    }
  }
}
