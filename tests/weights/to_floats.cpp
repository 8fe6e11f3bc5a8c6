#include <fovea/weights/to_floats.hpp>

#include "../gguf_blocks.hpp"
#include "../golden_folder.hpp"

#include <fovea/weights/gguf.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
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
