#include <fovea/weights/converted.hpp>

#include "../each_format.hpp"
#include "../gguf_blocks.hpp"
#include "../message_of.hpp"

#include <fovea/base/error.hpp>
#include <fovea/weights/from_floats.hpp>
#include <fovea/weights/to_floats.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace fovea;
using namespace fovea::core;

namespace {

template <class number>
stored_tensor tensor_of(element_type type, const std::vector<number>& values,
                        std::vector<std::size_t> shape = {}) {
  if (shape.empty()) shape = {values.size()};
  return {type, std::move(shape), std::as_bytes(std::span(values))};
}

std::vector<float> random_values(std::size_t count) {
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& x : values) x = normal(random);
  return values;
}

} // namespace

TEST_CASE("a converted tensor is what from_floats writes of its values, however many", "[converted]") {
  for (const std::size_t rows : {1u, 255u, 256u, 257u, 600u}) {
    test::for_formats_of_files([&]<class format>(format) {
      constexpr element_type type = traits_of<format>.stored;
      const std::size_t width = std::max<std::size_t>(32, block_length(type));
      const std::vector<float> values = random_values(rows * width);
      const stored_tensor from = tensor_of(element_type::f32, values, {rows, width});
      CAPTURE(rows, element_name(type));
      std::vector<std::byte> expected(*tensor_bytes(type, from.shape));
      from_floats(type, values, expected.data());
      const std::vector<std::byte> found = converted(from, type);
      CHECK(found == expected);

      const stored_tensor rounded{type, from.shape, found};
      CHECK(converted(rounded, type) == found);
      const std::vector<std::byte> back = converted(rounded, element_type::f32);
      std::vector<float> read(values.size());
      to_floats(type, found, read.data());
      CHECK(std::ranges::equal(back, std::as_bytes(std::span(read))));
      if (test::keeps_rounded<format>) CHECK(converted({element_type::f32, from.shape, back}, type) == found);

      double apart = 0, size = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        apart += std::pow(static_cast<double>(read[i]) - static_cast<double>(values[i]), 2);
        size += std::pow(static_cast<double>(values[i]), 2);
      }
      CHECK(relative_error(from, rounded) == Approx(std::sqrt(apart / size)));
      CHECK(relative_error(rounded, {element_type::f32, from.shape, back}) == 0);
    });
  }
  const std::vector<double> wide{0.1, -3};
  const std::vector<float> narrow{0.1f, -3};
  CHECK(std::ranges::equal(converted(tensor_of(element_type::f64, wide), element_type::f32),
                           std::as_bytes(std::span(narrow))));
  const std::vector<float> zeros(32);
  const auto blocks = converted(tensor_of(element_type::f32, zeros), element_type::q8_0);
  CHECK(relative_error(tensor_of(element_type::f32, zeros), {element_type::q8_0, {32}, blocks}) == 0);
}

TEST_CASE("blocks of others are converted as their values are", "[converted]") {
  std::mt19937 random(5);
  for (const test::block_type& of : test::blocks_of_others) {
    CAPTURE(element_name(of.type));
    const std::size_t length = block_length(of.type), rows = 9000 / length; // two parts
    const std::string blocks = test::random_blocks(of, rows, random);
    const stored_tensor from{of.type, {rows, length}, std::as_bytes(std::span(blocks))};
    std::vector<float> values(rows * length);
    to_floats(of.type, from.bytes, values.data());
    const stored_tensor floats = tensor_of(element_type::f32, values, from.shape);
    CHECK(converted(from, element_type::f32) == converted(floats, element_type::f32));
    test::for_formats_of_files([&]<class format>(format) {
      constexpr element_type type = traits_of<format>.stored;
      if (type != of.type && whole_blocks(type, from.shape))
        CHECK(converted(from, type) == converted(floats, type));
    });
    CHECK(relative_error(from, floats) == 0);

    CHECK(std::ranges::equal(converted(from, of.type), from.bytes));
    if (!is_written(of.type))
      CHECK_THAT(message_of<error>([&] { converted(floats, of.type); }),
                 Catch::Matchers::EndsWith("to write; found " + std::string(element_name(of.type))));
    for (const std::size_t half : of.halves) {
      std::string infinite = blocks;
      test::set_half(infinite, block_bytes(of.type) + half, 0x7c00);
      const stored_tensor bad{of.type, from.shape, std::as_bytes(std::span(infinite))};
      CHECK_THAT(message_of<error>([&] { check_finite(bad); }),
                 Catch::Matchers::Contains("expected finite values; found") &&
                     Catch::Matchers::EndsWith(" at element " + std::to_string(length)));
    }
  }
}

TEST_CASE("what cannot be converted is one sentence", "[converted]") {
  const auto refusal = [](const stored_tensor& tensor, element_type type) {
    return message_of<error>([&] { converted(tensor, type); });
  };
  std::vector<float> values = random_values(16384);
  const std::vector<int> integers(32);
  CHECK(refusal(tensor_of(element_type::f32, values, {1024, 16}), element_type::q8_0) ==
        "Q8_0 of shape [1024, 16]: the last axis is no multiple of 32");
  CHECK(refusal(tensor_of(element_type::i32, integers), element_type::f32) ==
        "expected a type that holds reals; found I32");
  std::string expected;
  test::for_formats_of_files(
      [&]<class format>(format) { expected.append(", ").append(element_name(traits_of<format>.stored)); });
  expected.replace(expected.rfind(','), 1, " or").replace(0, 1, "expected");
  CHECK(refusal(tensor_of(element_type::f32, values), element_type::f64) ==
        expected + " to write; found F64");
  values[9000] = -70000;
  CHECK(refusal(tensor_of(element_type::f32, values), element_type::f16) ==
        "expected values up to 65504 for F16; found -70000 at element 9000");
  CHECK(refusal(tensor_of(element_type::f32, values), element_type::q8_0).empty());
  values[9000] = std::numeric_limits<float>::infinity();
  for (const element_type type : {element_type::f32, element_type::f16, element_type::q4_0})
    CHECK(refusal(tensor_of(element_type::f32, values), type) ==
          "expected finite values; found inf at element 9000");
}
