#include <fovea/weights/convert.hpp>

#include "temporary_folder.hpp"

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::naming;
using Catch::Matchers::Contains;

namespace {

std::vector<float> counted(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

std::vector<float> applied(const std::vector<float>& values, std::vector<std::size_t> shape,
                           const naming::transform& how) {
  const auto result =
      transformed_values({element_type::f32, std::move(shape), std::as_bytes(std::span(values))}, how);
  return {result.values.begin(), result.values.end()};
}

/// IEEE 754 binary16, by its definition.
double half_value(unsigned bits) {
  const int exponent = static_cast<int>((bits >> 10) & 31u);
  const double fraction = static_cast<double>(bits & 1023u) / 1024;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
  return bits & 0x8000u ? -magnitude : magnitude;
}

} // namespace

TEST_CASE("every finite float16 is converted exactly", "[convert]") {
  std::vector<std::uint16_t> halves(65536);
  std::iota(halves.begin(), halves.end(), std::uint16_t{0});
  const auto result =
      transformed_values({element_type::f16, {256, 256}, std::as_bytes(std::span(halves))}, {});
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float found = result.values[bits];
    if (((bits >> 10) & 31u) == 31u) {
      if (std::isfinite(found) || std::isnan(found) != ((bits & 1023u) != 0)) FAIL_CHECK(bits);
    } else if (static_cast<double>(found) != half_value(bits) || std::signbit(found) != (bits >= 0x8000u)) {
      FAIL_CHECK(bits);
    }
  }
}

TEST_CASE("bfloat16 is the upper half of a float32, float64 is rounded", "[convert]") {
  const std::vector<std::uint16_t> values{0x3f80, 0xc040, 0x0001, 0x7f7f};
  const auto result = transformed_values({element_type::bf16, {4}, std::as_bytes(std::span(values))}, {});
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(std::bit_cast<std::uint32_t>(result.values[i]) == static_cast<std::uint32_t>(values[i]) << 16);
  const std::vector<double> wide{0.1, -3, 1e300};
  const auto narrow = transformed_values({element_type::f64, {3}, std::as_bytes(std::span(wide))}, {});
  CHECK(narrow.values[0] == 0.1f);
  CHECK(narrow.values[1] == -3.0f);
  CHECK(std::isinf(narrow.values[2]));
}

TEST_CASE("a Q8_0 block is a scale times 32 signed bytes", "[convert]") {
  std::string bytes;
  for (const std::uint16_t scale : {std::uint16_t{0x3800}, std::uint16_t{0xc200}}) { // 0.5, -3
    bytes += {reinterpret_cast<const char*>(&scale), 2};
    for (int i = 0; i < 32; ++i) bytes += static_cast<char>(8 * i - 128);
  }
  const stored_tensor tensor{element_type::q8_0, {2, 32}, std::as_bytes(std::span(bytes))};
  const auto result = transformed_values(tensor, {});
  for (std::size_t i = 0; i < 64; ++i)
    CHECK(result.values[i] ==
          (i < 32 ? 0.5f : -3.0f) * static_cast<float>(8 * static_cast<int>(i % 32) - 128));
  const auto second = transformed_values(tensor, rows(1, 2));
  CHECK(second.values[1] == -3.0f * (8 - 128));
  CHECK(second.owned->size() == 32); // no more than was asked for
  // Rows of a vector break blocks, so it is converted whole.
  const stored_tensor flat{element_type::q8_0, {64}, std::as_bytes(std::span(bytes))};
  CHECK(transformed_values(flat, rows(33, 35)).values[0] == -3.0f * (8 - 128));
}

TEST_CASE("a Q4_0 block holds its first half in low and its second in high nibbles, 8 for zero",
          "[convert]") {
  std::string bytes("\x00\x3c", 2); // 1
  for (int i = 0; i < 16; ++i) bytes += static_cast<char>(i | (15 - i) << 4);
  const auto result = transformed_values({element_type::q4_0, {32}, std::as_bytes(std::span(bytes))}, {});
  for (int i = 0; i < 16; ++i) {
    CHECK(result.values[static_cast<std::size_t>(i)] == static_cast<float>(i - 8));
    CHECK(result.values[static_cast<std::size_t>(16 + i)] == static_cast<float>(7 - i));
  }
}

TEST_CASE("an aligned float32 tensor is used where it lies, an unaligned one is copied", "[convert]") {
  std::vector<float> values = counted(9);
  const auto bytes = std::as_bytes(std::span(values));
  CHECK(transformed_values({element_type::f32, {9}, bytes}, {}).values.data() == values.data());
  CHECK(transformed_values({element_type::f32, {3, 3}, bytes}, rows(1, 3)).values.data() ==
        values.data() + 3);
  std::vector<std::byte> shifted(1 + bytes.size());
  std::ranges::copy(bytes, shifted.begin() + 1);
  const auto copy = transformed_values({element_type::f32, {9}, std::span(shifted).subspan(1)}, {});
  REQUIRE(copy.owned);
  CHECK(reinterpret_cast<std::uintptr_t>(copy.values.data()) % 64 == 0);
  CHECK(std::ranges::equal(copy.values, values));
}

TEST_CASE("transforms of small tensors", "[convert]") {
  CHECK(applied(counted(6), {2, 3}, transposed) == std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(applied(counted(8), {2, 2, 2}, transposed) == std::vector<float>{0, 2, 1, 3, 4, 6, 5, 7});
  CHECK(applied(counted(6), {3, 2}, rows(1, 2)) == std::vector<float>{2, 3});
  CHECK(applied(counted(6), {6}, rows(2, 4)) == std::vector<float>{2, 3});
  CHECK(applied(counted(6), {2, 3}, columns(1, 3)) == std::vector<float>{1, 2, 4, 5});
  CHECK(applied(counted(6), {2, 3}, columns(1, 3) | transposed) == std::vector<float>{1, 4, 2, 5});
  CHECK(applied(counted(6), {2, 3}, transposed | columns(1, 2)) == std::vector<float>{3, 4, 5});
  CHECK(applied(counted(6), {1, 2, 3}, permuted(2, 0, 1)) == std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(applied(counted(6), {1, 2, 1, 3}, squeezed | transposed) == std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(applied(counted(3), {3}, scaled(2) | rows(1, 3)) == std::vector<float>{2, 4});
  CHECK(applied(counted(3), {3}, raised(1) | scaled(2)) == std::vector<float>{2, 4, 6});
  CHECK(applied(counted(8), {8}, rotary_halves(4)) == std::vector<float>{0, 2, 1, 3, 4, 6, 5, 7});
  CHECK(applied(counted(12), {6, 2}, rotary_halves(6)) ==
        std::vector<float>{0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11});
  CHECK(applied({}, {0, 3}, transposed).empty());
  CHECK(transformed_shape(columns(1, 3) | transposed, {2, 3}) == std::vector<std::size_t>{2, 2});
  CHECK(transformed_shape(permuted(2, 0, 1), {1, 2, 3}) == std::vector<std::size_t>{3, 1, 2});
  CHECK(transformed_shape(squeezed, {1, 1, 3}) == std::vector<std::size_t>{3});
  CHECK(transformed_shape(squeezed, {1, 1}).empty());
  CHECK(transformed_shape(flattened, {2, 3, 4}) == std::vector<std::size_t>{6, 4});
  CHECK(applied(counted(12), {2, 3, 2}, flattened | rows(2, 4)) == std::vector<float>{4, 5, 6, 7});
  CHECK_THROWS_WITH(transformed_shape(flattened, {6}), Contains("flattened needs two axes or more"));
  const std::vector<float> stored = counted(12); // it is read where it is stored
  const stored_tensor tensor{element_type::f32, {2, 3, 2}, std::as_bytes(std::span(stored))};
  CHECK(whole_rows(tensor, flattened)->tensor.shape == std::vector<std::size_t>{6, 2});
  CHECK(whole_rows(tensor, flattened)->tensor.bytes.data() == tensor.bytes.data());
}

TEST_CASE("transposing follows the indices at sizes around its tile", "[convert]") {
  for (const std::size_t r : {1u, 31u, 32u, 33u, 70u})
    for (const std::size_t c : {1u, 32u, 65u}) {
      const auto values = counted(r * c);
      const auto turned = applied(values, {r, c}, transposed);
      bool same = true;
      for (std::size_t i = 0; i < r; ++i)
        for (std::size_t j = 0; j < c; ++j) same = same && turned[j * r + i] == values[i * c + j];
      CHECK(same);
      CHECK(applied(values, {r, c}, permuted(1, 0)) == turned);
    }
}

TEST_CASE("a transform that doesn't fit is refused", "[convert]") {
  const auto message = [](const naming::transform& how, std::vector<std::size_t> shape) {
    return message_of<error>([&] { transformed_shape(how, std::move(shape)); });
  };
  CHECK_THAT(message(rows(2, 5), {4, 3}), Contains("rows(2, 5) does not fit shape [4, 3]"));
  CHECK_THAT(message(columns(-1, 2), {4, 3}), Contains("columns(-1, 2) does not fit shape [4, 3]"));
  CHECK_THAT(message(columns(2, 1), {4, 3}), Contains("columns(2, 1)"));
  CHECK_THAT(message(transposed, {4}), Contains("transposed needs two axes or more; found shape [4]"));
  CHECK_THAT(message(permuted(0, 0), {4, 3}), Contains("permuted[0, 0] does not fit"));
  CHECK_THAT(message(permuted(1, 0), {4, 3, 2}), Contains("permuted[1, 0] does not fit"));
  CHECK_THAT(message(rows(0, 1), {}), Contains("rows needs an axis"));
  CHECK_THAT(message(rotary_halves(4), {6, 4}), Contains("rotary_halves(4) does not fit shape [6, 4]"));
  CHECK_THAT(message(rotary_halves(3), {6}), Contains("rotary_halves(3) does not fit shape [6]"));
  CHECK_THAT(message(rotary_halves(0), {6}), Contains("rotary_halves(0)"));
  CHECK_THAT(message(rotary_halves(4), {}), Contains("rotary_halves(4) does not fit shape []"));
  CHECK_THAT(message(transposed | ignored, {4, 3}), Contains("can't be joined"));
  CHECK_THAT(message(transposed | weight_normed, {4, 3}), Contains("weight_normed comes first"));
}

TEST_CASE("the first value that is not finite is found at every place", "[convert]") {
  for (const std::size_t size : {0u, 1u, 255u, 256u, 257u, 700u}) {
    std::vector<float> values(size, std::numeric_limits<float>::max());
    CHECK(!first_non_finite(values));
    for (std::size_t at = 0; at < size; ++at) {
      const float kept = std::exchange(values[at], at % 3 == 0   ? std::numeric_limits<float>::quiet_NaN()
                                                   : at % 3 == 1 ? std::numeric_limits<float>::infinity()
                                                                 : -std::numeric_limits<float>::infinity());
      if (first_non_finite(values) != at) FAIL_CHECK(at << " of " << size);
      values[at] = kept;
    }
  }
}
