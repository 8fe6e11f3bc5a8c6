#include <fovea/weights/weights.hpp>

#include "../gguf_writer.hpp"
#include "temporary_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/weights/byte_cursor.hpp>

#include <catch2/catch.hpp>

#include <algorithm>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

std::string header(std::uint32_t version = 101, std::uint32_t type = 0) {
  return bytes_of(std::vector<std::uint32_t>{0x67676d66, version, 256, 64, 12, type});
}

/// `shape` row-major.
std::string tensor(const std::string& name, std::uint32_t type, std::vector<std::uint32_t> shape,
                   const std::string& data) {
  const std::vector<std::uint32_t> head{static_cast<std::uint32_t>(shape.size()),
                                        static_cast<std::uint32_t>(name.size()), type};
  std::ranges::reverse(shape);
  return bytes_of(head) + bytes_of(shape) + name + data;
}

model_weights opened(const std::string& bytes) {
  const temporary_folder folder;
  return load_weights(folder.write("x.bin", bytes));
}
std::string refusal(const std::string& bytes) {
  return message_of<error>([&] { opened(bytes); });
}

const std::string two_rows = bytes_of(std::vector<float>{0, 1, 2, 3, 4, 5});

} // namespace

TEST_CASE("rwkv.cpp's float32 and float16 tensors, shapes row-major", "[rwkv_cpp]") {
  for (const std::uint32_t version : {100u, 101u}) {
    const model_weights found = opened(header(version, 1) + tensor("emb.weight", 0, {2, 3}, two_rows) +
                                       tensor("half", 1, {3}, std::string("\x00\x3c\x00\xc0\x00\x00", 6)));
    CHECK(found.metadata().at("n_layer") == "12");
    CHECK(found.metadata().at("n_embed") == "64");
    const std::vector<wanted_parameter> wanted{{"emb.weight", {2, 3}}, {"half", {3}}};
    const auto views = found.resolve(wanted);
    CHECK(views[0].data[5] == 5);
    CHECK(views[1].data[0] == 1);
    CHECK(views[1].data[1] == -2);
  }
}

TEST_CASE("each malformed file of rwkv.cpp is refused with a sentence of its own", "[rwkv_cpp]") {
  CHECK_THAT(refusal(header(102)),
             EndsWith("x.bin: expected version 100 or 101 of rwkv.cpp's format; found 102"));
  CHECK_THAT(refusal(header(100, 7)),
             EndsWith("the header: expected type 0 (float32) or 1 (float16); found 7"));
  CHECK_THAT(refusal(header() + tensor("a", 2, {32}, std::string(18, '\0'))),
             EndsWith("tensor 'a': expected type 0 (float32) or 1 (float16); found 2"));
  CHECK_THAT(refusal(header() + tensor("a", 0, {1, 1, 1, 1, 1}, "1234")),
             EndsWith("the head of tensor 1: expected at most 4 axes; found 5"));
  CHECK_THAT(refusal(header() + tensor("a", 0, {4, 3}, two_rows)),
             Contains("cut short: expected 48 bytes of tensor 'a' at byte") && EndsWith("found 24"));
  CHECK_THAT(refusal(header() + tensor("a", 0, {~0u, ~0u, ~0u}, two_rows)),
             EndsWith("takes " + std::string(too_many_bytes) + " bytes"));
  CHECK_THAT(refusal(header() + tensor("a", 0, {2, 3}, two_rows) + tensor("a", 0, {2, 3}, two_rows)),
             EndsWith("tensor 'a' occurs twice"));

  const std::string whole =
      header() + tensor("first", 0, {2, 3}, two_rows) + tensor("b", 0, {2, 3}, two_rows);
  const std::size_t second = header().size() + tensor("first", 0, {2, 3}, two_rows).size();
  for (std::size_t size = 4; size < whole.size(); ++size) {
    const bool between = size == header().size() || size == second;
    if (refusal(whole.substr(0, size)).find("cut short") == std::string::npos && !between)
      FAIL_CHECK("cut after " << size << " bytes");
  }
}
