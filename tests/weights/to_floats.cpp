#include <fovea/weights/to_floats.hpp>

#include "../gguf_blocks.hpp"
#include "../golden_folder.hpp"

#include <fovea/weights/gguf.hpp>
#include <fovea/weights/to_doubles.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

std::vector<float> floats_of(element_type type, std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / block_bytes(type) * block_length(type));
  to_floats(type, bytes, values.data());
  return values;
}

} // namespace

TEST_CASE("quantised blocks are the values that llama.cpp's own gguf makes of them, bit for bit",
          "[to_floats]") {
  const gguf_file file(std::filesystem::path(golden_folder) / "gguf_blocks.gguf");
  const std::map<std::string, stored_tensor> tensors(file.tensors().begin(), file.tensors().end());
  REQUIRE(tensors.size() == 2 * blocks_of_others.size());
  for (const block_type& of : blocks_of_others) {
    const std::string name(element_name(of.type));
    INFO(name);
    const stored_tensor &blocks = tensors.at(name), &expected = tensors.at(name + ".values");
    REQUIRE(blocks.type == of.type);
    REQUIRE(blocks.shape == expected.shape);
    std::vector<std::byte> shifted(1);
    shifted.insert(shifted.end(), blocks.bytes.begin(), blocks.bytes.end());
    const std::vector<float> found = floats_of(of.type, blocks.bytes),
                             unaligned = floats_of(of.type, std::span(shifted).subspan(1));
    CHECK(std::ranges::equal(std::as_bytes(std::span(found)), expected.bytes));
    CHECK(std::ranges::equal(std::as_bytes(std::span(unaligned)), expected.bytes));
  }
}

TEST_CASE("values of every type of number become doubles", "[to_floats]") {
  const auto doubles_of = [](element_type type, const auto& values) {
    return to_doubles({type, {values.size()}, std::as_bytes(std::span(values))});
  };
  using numbers = std::vector<double>;
  CHECK(doubles_of(element_type::f64, std::array{0.1, -2.0}) == numbers{0.1, -2});
  CHECK(doubles_of(element_type::f32, std::array{0.1f}) == numbers{static_cast<double>(0.1f)});
  CHECK(doubles_of(element_type::bf16, std::array<std::uint16_t, 1>{0xbf80}) == numbers{-1});
  CHECK(doubles_of(element_type::i64, std::array<std::int64_t, 2>{std::int64_t{1} << 53, -7}) ==
        numbers{9007199254740992, -7});
  CHECK(doubles_of(element_type::i32, std::array<std::int32_t, 1>{-70000}) == numbers{-70000});
  CHECK(doubles_of(element_type::i16, std::array<std::int16_t, 1>{-300}) == numbers{-300});
  CHECK(doubles_of(element_type::i8, std::array<std::int8_t, 1>{-3}) == numbers{-3});
  CHECK(doubles_of(element_type::u8, std::array<std::uint8_t, 1>{200}) == numbers{200});
  CHECK(doubles_of(element_type::boolean, std::array<std::uint8_t, 2>{1, 0}) == numbers{1, 0});
}

TEST_CASE("blocks of scale zero are zeros, and of no finite scale or offset have no finite value",
          "[to_floats]") {
  std::mt19937 random(2);
  constexpr std::uint16_t one = 0x3c00, infinite = 0xfc00, not_a_number = 0x7e01;
  for (const block_type& of : blocks_of_others) {
    INFO(element_name(of.type));
    const auto values = [&](std::uint16_t scale, std::uint16_t offset) {
      const std::string blocks = random_blocks(of, 2, random, scale, offset);
      return floats_of(of.type, std::as_bytes(std::span(blocks)));
    };
    const auto finite = [](float value) { return std::isfinite(value); };
    CHECK(std::ranges::count(values(0, 0), 0.0f) == std::ssize(values(0, 0)));
    CHECK(std::ranges::all_of(values(one, one), finite));
    CHECK(std::ranges::none_of(values(infinite, one), finite));
    CHECK(std::ranges::none_of(values(not_a_number, one), finite));
    if (of.halves.size() > 1) CHECK(std::ranges::none_of(values(one, infinite), finite));
  }
}
