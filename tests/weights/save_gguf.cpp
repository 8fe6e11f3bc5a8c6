#include <fovea/weights/gguf.hpp>

#include "../file_content.hpp"
#include "../gguf_blocks.hpp"
#include "temporary_folder.hpp"

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <deque>
#include <limits>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

std::span<const std::byte> bytes_in(const std::string& text) { return std::as_bytes(std::span(text)); }

using tensor_map = std::map<std::string, stored_tensor>;

/// The whole message, with OUT for the path.
std::string refusal(const tensor_map& tensors, const gguf_metadata& keys = {}) {
  const temporary_folder folder;
  const std::filesystem::path out = folder.write("out.gguf", "older");
  std::string message = message_of<error>([&] { save_gguf(out, tensors, keys); });
  CHECK(content(out) == "older");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  if (message.starts_with(out.string())) message.replace(0, out.string().size(), "OUT");
  return message;
}

} // namespace

TEST_CASE("what save_gguf writes is read back, every type of tensor", "[gguf]") {
  const std::string blocks_8("\0\x3c"
                             "abcdefghijklmnopqrstuvwxyz012345",
                             34),
      blocks_4 = blocks_8.substr(0, 18);
  const std::string floats = bytes_of(1.5f) + bytes_of(-2.f) + bytes_of(0.f), halves = floats.substr(0, 6),
                    wide = bytes_of(0.1) + bytes_of(-3.0), whole(8, '\x7f');
  tensor_map tensors{{"b8", {element_type::q8_0, {1, 32}, bytes_in(blocks_8)}},
                     {"b4", {element_type::q4_0, {32}, bytes_in(blocks_4)}},
                     {"f32", {element_type::f32, {3, 1}, bytes_in(floats)}},
                     {"f16", {element_type::f16, {1, 3, 1, 1}, bytes_in(halves)}},
                     {"bf16", {element_type::bf16, {3}, bytes_in(halves)}},
                     {"f64", {element_type::f64, {2}, bytes_in(wide)}},
                     {"i64", {element_type::i64, {1}, bytes_in(whole)}},
                     {"i32", {element_type::i32, {2}, bytes_in(whole)}},
                     {"i16", {element_type::i16, {2, 2}, bytes_in(whole)}},
                     {"i8", {element_type::i8, {8}, bytes_in(whole)}},
                     {"number", {element_type::f32, {}, bytes_in(floats).first(4)}},
                     {"nothing", {element_type::f32, {0, 4}, {}}}};
  std::mt19937 random(1);
  std::deque<std::string> blocks;
  for (const block_type& of : blocks_of_others)
    tensors[std::string(element_name(of.type))] = {
        of.type, {block_length(of.type)}, bytes_in(blocks.emplace_back(random_blocks(of, 1, random)))};
  const temporary_folder folder;
  for (const std::uint32_t alignment : {0u, 8u, 32u, 256u}) {
    gguf_metadata keys;
    if (alignment > 0) keys.set("general.alignment", alignment);
    save_gguf(folder / "x.gguf", tensors, keys);
    const gguf_file found(folder / "x.gguf");
    REQUIRE(found.tensors().size() == tensors.size());
    for (const auto& [name, tensor] : found.tensors()) {
      CAPTURE(name, alignment);
      CHECK(tensor.type == tensors.at(name).type);
      CHECK(tensor.shape == tensors.at(name).shape);
      CHECK(std::ranges::equal(tensor.bytes, tensors.at(name).bytes));
      CHECK(reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % (alignment ? alignment : 32) == 0);
    }
  }
}

TEST_CASE("save_gguf writes what a GGUF file has, byte for byte", "[gguf]") {
  gguf_writer expected;
  expected.add("a.text", "x");
  expected.add("b.number", std::uint32_t{7});
  expected.add("c.real", 0.5f);
  const std::string values = bytes_of(1.f) + bytes_of(2.f);
  expected.add_tensor("t", 0, {1, 2}, values);
  gguf_metadata keys;
  keys.set("c.real", 0.5f);
  keys.set("b.number", std::uint32_t{7});
  keys.set("a.text", "x");
  const temporary_folder folder;
  save_gguf(folder / "x.gguf", {{"t", {element_type::f32, {1, 2}, bytes_in(values)}}}, keys);
  CHECK(content(folder / "x.gguf") == expected.file() + std::string(32 - values.size(), '\0'));
}

TEST_CASE("a GGUF file's keys go into another whole, and some are set anew", "[gguf]") {
  gguf_writer w;
  w.add("name", "old");
  w.add("flag", gguf_type::boolean, bytes_of(std::uint8_t{1}));
  w.add("huge", gguf_type::uint64, bytes_of(~std::uint64_t{0}));
  w.add_array("tokens", gguf_type::text, 2, gguf_writer::text("a") + gguf_writer::text(""));
  w.add_array("nested", gguf_type::array, 1,
              bytes_of(static_cast<std::uint32_t>(gguf_type::uint8)) + bytes_of(std::uint64_t{2}) + "ab");
  w.add_array("none", gguf_type::float32, 0, "");
  const temporary_folder folder;
  const gguf_metadata old = gguf_file(folder.write("old.gguf", w.file())).metadata();
  gguf_metadata keys = old;
  keys.set("name", "new");
  keys.set("count", std::uint32_t{3});
  CHECK(old.text("name") == "old");
  CHECK_FALSE(old.contains("count"));
  save_gguf(folder / "new.gguf", {}, keys);

  const gguf_metadata found = gguf_file(folder / "new.gguf").metadata();
  CHECK(found.size() == 7);
  CHECK(found.text("name") == "new");
  CHECK(found.integer("count") == 3);
  CHECK(found.integer("flag") == 1);
  CHECK(found.number("huge") == 0x1p64);
  CHECK(found.texts("tokens") == std::vector<std::string_view>{"a", ""});
  CHECK(found.numbers("none")->empty());
  CHECK(found.stored() == keys.stored());
}

TEST_CASE("save_gguf refuses what the format or a model cannot have, and leaves an older file alone",
          "[gguf]") {
  const std::string zeros(64, '\0');
  const auto one = [&](element_type type, std::vector<std::size_t> shape, std::size_t bytes) {
    return refusal({{"t", {type, std::move(shape), bytes_in(zeros).first(bytes)}}});
  };
  CHECK(one(element_type::f32, {1, 1, 1, 1, 1}, 4) == "OUT: tensor 't': expected at most 4 axes; found 5");
  CHECK(one(element_type::u8, {4}, 4) == "OUT: tensor 't': a GGUF file has no type U8");
  CHECK(one(element_type::boolean, {4}, 4) == "OUT: tensor 't': a GGUF file has no type BOOL");
  CHECK(one(element_type::f32, {4}, 12) == "OUT: tensor 't': F32 of shape [4] expects 16 bytes; found 12");
  CHECK(one(element_type::q8_0, {2, 16}, 34) ==
        "OUT: tensor 't': Q8_0 of shape [2, 16]: the last axis is no multiple of 32");
  CHECK(refusal({{"", {element_type::f32, {1}, bytes_in(zeros).first(4)}}}) ==
        "OUT: tensor '': expected a name; found none");

  const std::string bad = bytes_of(1.f) + bytes_of(std::numeric_limits<float>::quiet_NaN());
  CHECK(refusal({{"t", {element_type::f32, {2}, bytes_in(bad)}}}) ==
        "OUT: tensor 't': expected finite values; found nan at element 1");
  const std::string infinite_scale("\0\x7c"
                                   "0123456789abcdef",
                                   18);
  CHECK(refusal({{"t", {element_type::q4_0, {1, 32}, bytes_in(infinite_scale)}}}) ==
        "OUT: tensor 't': expected finite values; found -inf at element 0");
  gguf_metadata keys;
  keys.set("general.alignment", std::uint32_t{12});
  CHECK(refusal({}, keys) ==
        "keys of the program: key 'general.alignment': expected a power of two from 8; found 12");
}
