#include <fovea/weights/gguf.hpp>

#include "../gguf_writer.hpp"
#include "temporary_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/weights/byte_cursor.hpp>

#include <catch2/catch.hpp>

#include <cstring>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

gguf_file opened(const std::string& bytes) {
  const temporary_folder folder;
  return gguf_file(folder.write("x.gguf", bytes)); // a mapping outlives its file's name
}

std::string refusal(const std::string& bytes) {
  return message_of<error>([&] { opened(bytes); });
}

gguf_writer vocabulary() {
  gguf_writer w;
  w.add("general.architecture", "llama");
  w.add("layers", std::uint32_t{22});
  w.add("epsilon", 0.5f);
  w.add("base", 1000042.f);
  w.add("exact", gguf_type::float64, bytes_of(1.1902380714238083));
  w.add("negative", gguf_type::int8, bytes_of(std::int8_t{-3}));
  w.add("flag", gguf_type::boolean, bytes_of(std::uint8_t{1}));
  w.add("huge", gguf_type::uint64, bytes_of(~std::uint64_t{0}));
  w.add_array("tokens", gguf_type::text, 3,
              gguf_writer::text("a") + gguf_writer::text("") + gguf_writer::text("\xe2\x96\x81"));
  w.add_array("scores", gguf_type::float32, 2, bytes_of(-1.5f) + bytes_of(2.0f));
  w.add_array("types", gguf_type::int32, 2, bytes_of(std::int32_t{3}) + bytes_of(std::int32_t{-1}));
  w.add_array("nested", gguf_type::array, 1,
              bytes_of(static_cast<std::uint32_t>(gguf_type::uint8)) + bytes_of(std::uint64_t{2}) + "ab");
  return w;
}

} // namespace

TEST_CASE("a GGUF file's texts, numbers and arrays are found by key", "[gguf]") {
  gguf_writer w = vocabulary();
  for (const std::uint32_t version : {2u, 3u}) {
    w.version = version;
    const gguf_metadata found = opened(w.file()).metadata();
    CHECK(found.text("general.architecture") == "llama");
    CHECK(found.integer("layers") == 22);
    CHECK(found.number("layers") == 22.0);
    CHECK(found.number("epsilon") == 0.5);
    CHECK(found.integer("negative") == -3);
    CHECK(found.integer("flag") == 1);
    CHECK(found.number("huge") == 0x1p64);
    CHECK(found.texts("tokens") == std::vector<std::string_view>{"a", "", "\xe2\x96\x81"});
    CHECK(found.numbers("scores") == std::vector<double>{-1.5, 2});
    CHECK(found.integers("types") == std::vector<std::int64_t>{3, -1});
    CHECK(found.contains("nested"));
    CHECK_FALSE(found.contains("layer"));
    CHECK_FALSE(found.text("layer").has_value());
    CHECK_FALSE(found.numbers("layer").has_value());
    CHECK(found.as_texts().at("layers") == "22");
    CHECK(found.as_texts().at("epsilon") == "0.5");
    CHECK(found.as_texts().at("base") == "1000042");
    CHECK(found.as_texts().at("exact") == "1.1902380714238083");
    CHECK(found.as_texts().at("negative") == "-3");
    CHECK(found.as_texts().at("general.architecture") == "llama");
    CHECK_FALSE(found.as_texts().contains("tokens"));
  }
}

TEST_CASE("a GGUF value of another type than asked for is refused", "[gguf]") {
  const gguf_metadata found = opened(vocabulary().file()).metadata();
  CHECK_THAT(message_of<error>([&] { found.text("layers"); }),
             EndsWith("x.gguf: key 'layers': expected text; found uint32"));
  CHECK_THAT(message_of<error>([&] { found.integer("epsilon"); }),
             EndsWith("key 'epsilon': expected int64; found float32"));
  CHECK_THAT(message_of<error>([&] { found.integer("huge"); }), EndsWith("expected int64; found uint64"));
  CHECK_THAT(message_of<error>([&] { found.texts("types"); }),
             EndsWith("key 'types': expected an array of text; found an array of int32"));
  CHECK_THAT(message_of<error>([&] { found.number("scores"); }),
             EndsWith("key 'scores': expected a number; found an array of float32"));
  CHECK_THAT(message_of<error>([&] { found.integers("layers"); }),
             EndsWith("key 'layers': expected an array of int64; found uint32"));
  CHECK_THAT(message_of<error>([&] { found.integers("nested"); }), EndsWith("found an array of array"));
}

TEST_CASE("a GGUF file's tensors come in its order, shapes row-major", "[gguf]") {
  for (const std::size_t alignment : {8u, 32u, 128u}) {
    gguf_writer w;
    w.alignment = alignment;
    if (alignment != 32) w.add("general.alignment", static_cast<std::uint32_t>(alignment));
    w.add_tensor("z", 0, {2, 3}, bytes_of(std::vector<float>{0, 1, 2, 3, 4, 5}));
    w.add_tensor("half", 1, {5}, std::string(10, '\1'));
    w.add_tensor("a", 8, {2, 64}, std::string(4 * 34, '\2'));
    w.add_tensor("scalar", 0, {}, bytes_of(7.0f));
    const gguf_file file = opened(w.file());
    REQUIRE(file.tensors().size() == 4);
    const auto& [name, z] = file.tensors()[0];
    CHECK(name == "z");
    CHECK(z.type == element_type::f32);
    CHECK(z.shape == std::vector<std::size_t>{2, 3});
    CHECK(std::memcmp(z.bytes.data() + 20, bytes_of(5.0f).data(), 4) == 0);
    CHECK(file.tensors()[1].second.bytes.size() == 10);
    CHECK(file.tensors()[2].first == "a");
    CHECK(file.tensors()[2].second.type == element_type::q8_0);
    CHECK(file.tensors()[2].second.bytes.size() == 4 * 34);
    CHECK(file.tensors()[3].second.shape.empty());
    // The last tensor's padding may be there.
    const std::string padding((alignment - 4) % alignment, '\0');
    CHECK(refusal(w.file() + padding).empty());
    CHECK_THAT(refusal(w.file() + padding + "x"), Contains("bytes more that belong to none"));
  }
}

TEST_CASE("a GGUF file may end with its header, where its tensors have no values", "[gguf]") {
  gguf_writer w;
  w.add_tensor("none", 0, {0}, "");
  CHECK(opened(w.header()).tensors()[0].second.bytes.empty());
}

TEST_CASE("a GGUF file that is cut short anywhere is refused", "[gguf]") {
  gguf_writer w = vocabulary();
  w.add_tensor("one", 0, {2}, bytes_of(1.0f) + bytes_of(2.0f));
  w.add_tensor("two", 2, {32}, std::string(18, '\3'));
  const std::string whole = w.file();
  REQUIRE(refusal(whole).empty());
  for (std::size_t size = 0; size < whole.size(); ++size)
    if (refusal(whole.substr(0, size)).find(size < 4 ? "begins with the letters GGUF" : "cut short") ==
        std::string::npos)
      FAIL_CHECK("cut after " << size << " bytes: " << refusal(whole.substr(0, size)));
}

TEST_CASE("each malformed GGUF file is refused with a sentence of its own", "[gguf]") {
  CHECK_THAT(refusal("GGML0000"),
             EndsWith("x.gguf: expected a GGUF file, which begins with the letters GGUF"));
  gguf_writer w;
  w.version = 1;
  CHECK_THAT(refusal(w.file()), EndsWith("expected GGUF of version 2 or 3; found version 1"));
  w.version = 3u << 24;
  CHECK_THAT(refusal(w.file()), EndsWith("expected GGUF of version 2 or 3; found a big-endian file"));

  const auto with_pair = [](gguf_type type, const std::string& value) {
    gguf_writer made;
    made.add("k", type, value);
    return refusal(made.file());
  };
  CHECK_THAT(with_pair(static_cast<gguf_type>(13), "    "),
             EndsWith("key 'k': expected a type of 0 to 12; found 13"));
  CHECK_THAT(with_pair(gguf_type::boolean, "\x02"),
             EndsWith("key 'k': expected a boolean of 0 or 1; found 2"));
  CHECK_THAT(with_pair(gguf_type::text, bytes_of(~std::uint64_t{0}) + "abc"), Contains("cut short"));
  const auto array_head = [](gguf_type type, std::uint64_t count) {
    return bytes_of(static_cast<std::uint32_t>(type)) + bytes_of(count);
  };
  CHECK_THAT(with_pair(gguf_type::array, array_head(gguf_type::uint64, ~std::uint64_t{0} / 8)),
             Contains("cut short: expected 8 bytes of key 'k'"));
  std::string deep;
  for (int i = 0; i < 9; ++i) deep += array_head(gguf_type::array, 1);
  CHECK_THAT(with_pair(gguf_type::array, deep), EndsWith("key 'k': arrays are nested too deeply"));
  gguf_writer twice;
  twice.add("k", std::uint32_t{1});
  twice.add("k", std::uint32_t{1});
  CHECK_THAT(refusal(twice.file()), EndsWith("key 'k' occurs twice"));

  const auto with_alignment = [](std::uint32_t alignment) {
    gguf_writer made;
    made.add("general.alignment", alignment);
    return refusal(made.file());
  };
  CHECK_THAT(with_alignment(0), EndsWith("'general.alignment': expected a power of two from 8; found 0"));
  CHECK_THAT(with_alignment(48), EndsWith("found 48"));
  gguf_writer part;
  part.add("split.count", std::uint32_t{3});
  CHECK_THAT(refusal(part.file()),
             EndsWith("expected a whole model; found one of 3 parts (merge them first)"));
}

TEST_CASE("each malformed tensor of a GGUF file is refused with a sentence of its own", "[gguf]") {
  const auto with_tensor = [](std::uint64_t offset, std::uint32_t type,
                              const std::vector<std::uint64_t>& shape) {
    gguf_writer made;
    made.add_tensor_at(offset, "t", type, shape);
    return refusal(made.file() + std::string(64, '\0'));
  };
  CHECK(with_tensor(0, 0, {16}).empty());
  for (const std::uint32_t unknown : {9u, 15u, 16u, 35u, 99u}) // Q8_1, Q8_K, IQ2_XXS, TQ2_0, none
    CHECK_THAT(with_tensor(0, unknown, {256}),
               EndsWith("tensor 't': expected a type of F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, "
                        "Q4_K, Q5_K, Q6_K, I8, I16, I32, I64, F64, BF16; found ggml's type " +
                        std::to_string(unknown)));
  CHECK_THAT(with_tensor(0, 0, {1, 1, 1, 1, 1}), EndsWith("tensor 't': expected at most 4 axes; found 5"));
  CHECK_THAT(with_tensor(0, 8, {2, 48}),
             EndsWith("tensor 't': Q8_0 of shape [2, 48]: the last axis is no multiple of 32"));
  CHECK_THAT(with_tensor(0, 12, {2, 128}),
             EndsWith("tensor 't': Q4_K of shape [2, 128]: the last axis is no multiple of 256"));
  CHECK_THAT(with_tensor(0, 0, {std::uint64_t{1} << 40, std::uint64_t{1} << 40}),
             EndsWith("takes " + std::string(too_many_bytes) + " bytes"));
  CHECK_THAT(
      with_tensor(32, 0, {4}),
      EndsWith("tensor 't': expected its data at byte 0 of the data, behind the tensor before it; found 32"));
  CHECK_THAT(
      with_tensor(0, 0, {17}),
      EndsWith("tensor 't': the file is cut short: expected 68 bytes at byte 0 of the data, which has 64"));

  gguf_writer twice;
  twice.add_tensor("t", 0, {1}, bytes_of(1.0f));
  twice.add_tensor("t", 0, {1}, bytes_of(1.0f));
  CHECK_THAT(refusal(twice.file()), EndsWith("tensor 't' occurs twice"));
  gguf_writer overlapping;
  overlapping.add_tensor("s", 0, {9}, std::string(36, '\0'));
  overlapping.add_tensor_at(32, "t", 0, {1});
  CHECK_THAT(refusal(overlapping.file()),
             Contains("tensor 't': expected its data at byte 64") && EndsWith("found 32"));
}
