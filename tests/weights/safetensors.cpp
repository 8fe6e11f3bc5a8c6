#include <fovea/weights/safetensors.hpp>

#include "../golden_folder.hpp"
#include "temporary_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/weights/byte_cursor.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <random>
#include <string_view>

using namespace fovea;
using namespace fovea::core;
using Catch::Matchers::Contains;

namespace {

/// Reads a file of these bytes; the message that refuses it, without the folder's name.
std::string refusal(const std::string& bytes) {
  const temporary_folder folder;
  const auto path = folder.write("bad.safetensors", bytes);
  const std::string message = message_of<error>([&] { safetensors_file{path}; });
  if (!message.empty()) CHECK_THAT(message, Catch::Matchers::StartsWith(path.string() + ": "));
  return message.empty() ? message : message.substr(path.string().size() + 2);
}

std::string refusal(const std::string& header, std::size_t data) {
  return refusal(safetensors_bytes(header, std::string(data, '\0')));
}

} // namespace

TEST_CASE("what save_safetensors writes is read back", "[safetensors]") {
  const temporary_folder folder;
  const std::array<float, 6> wide{1, 2, 3, 4, 5, 6};
  const std::array<std::int64_t, 2> counts{-1, 1ll << 40};
  const std::array<unsigned char, 3> flags{1, 0, 1};
  const std::map<std::string, stored_tensor> tensors{
      {"a.flags", {element_type::boolean, {3}, std::as_bytes(std::span(flags))}},
      {"b.wide", {element_type::f32, {2, 3}, std::as_bytes(std::span(wide))}},
      {"c.counts", {element_type::i64, {2}, std::as_bytes(std::span(counts))}},
      {"d.empty", {element_type::f16, {0, 7}, {}}},
      {"e.scalar", {element_type::f32, {}, std::as_bytes(std::span(wide)).first(4)}}};
  save_safetensors(folder / "x.safetensors", tensors, {{"format", "pt"}, {"note", "h\u00e9"}});

  const safetensors_file file(folder / "x.safetensors");
  CHECK(file.metadata() == std::map<std::string, std::string>{{"format", "pt"}, {"note", "h\u00e9"}});
  REQUIRE(file.tensors().size() == tensors.size());
  for (const auto& [name, expected] : tensors) {
    const stored_tensor& found = file.at(name);
    CHECK(found.type == expected.type);
    CHECK(found.shape == expected.shape);
    REQUIRE(found.bytes.size() == expected.bytes.size());
    CHECK(std::ranges::equal(found.bytes, expected.bytes));
    if (!found.bytes.empty())
      CHECK(reinterpret_cast<std::uintptr_t>(found.bytes.data()) % block_bytes(found.type) == 0);
  }
  CHECK_THAT(message_of<error>([&] { file.at("f"); }), Contains("expected a tensor 'f'"));
  // Nothing temporary is left.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("save_safetensors leaves an older file alone when it fails", "[safetensors]") {
  const temporary_folder folder;
  const auto path = folder.write("x.safetensors", "older");
  const std::array<float, 2> values{};
  CHECK_THAT(message_of<error>([&] {
               save_safetensors(path, {{"w", {element_type::f32, {3}, std::as_bytes(std::span(values))}}});
             }),
             Contains("tensor 'w' of shape [3] expects 12 bytes; found 8"));
  CHECK(std::filesystem::file_size(path) == 5);
  CHECK_THAT(message_of<error>([&] { save_safetensors(folder / "none" / "x.safetensors", {}); }),
             Contains("cannot create a file beside it: No such file"));
}

TEST_CASE("a file of no tensors is a file", "[safetensors]") {
  CHECK(refusal("{}", 0).empty());
  CHECK(refusal("{}      ", 0).empty());
  CHECK(refusal(R"({"__metadata__":{}})", 0).empty());
}

TEST_CASE("a good file cut short anywhere is refused", "[safetensors]") {
  const std::string whole =
      safetensors_bytes(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "01234567");
  CHECK(refusal(whole).empty());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    INFO(length);
    CHECK(!refusal(whole.substr(0, length)).empty());
  }
}

TEST_CASE("a damaged file is refused or read, and what is read lies inside it", "[safetensors]") {
  const std::string whole =
      safetensors_bytes(R"({"__metadata__":{"a":"b"},"v":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                        R"("w":{"dtype":"BOOL","shape":[3],"data_offsets":[8,11]}})",
                        "0123456789a");
  const temporary_folder folder;
  constexpr std::string_view replacements = "\"{}[]:,0123456789eE+-.FIU \xff";
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = whole;
    for (auto changes = 1 + random() % 3; changes > 0; --changes)
      damaged[random() % damaged.size()] = replacements[random() % replacements.size()];
    const auto path = folder.write("x.safetensors", damaged);
    try {
      const safetensors_file file(path);
      std::size_t bytes = 0;
      for (const auto& [name, tensor] : file.tensors()) bytes += tensor.bytes.size();
      if (bytes != 11) FAIL_CHECK(damaged);
    } catch (const error&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("safetensors: what is wrong is named", "[safetensors]") {
  CHECK_THAT(refusal("abc"), Contains("8 bytes of header length; found 3 bytes in all"));
  CHECK_THAT(refusal("PK\x03\x04 some zip file"), Contains("hardly a safetensors file"));
  CHECK_THAT(refusal(safetensors_bytes("{}", "").substr(0, 9)), Contains("cut short after 1 of them"));
  CHECK_THAT(refusal("[]", 0), Contains("expected the header to begin with '{'"));
  CHECK_THAT(refusal("", 0), Contains("expected the header to begin with '{'"));
  CHECK_THAT(refusal("{\"w\":", 0), Contains("the header: not valid JSON"));
  CHECK_THAT(refusal("{\"\xff\":1}", 0), Contains("the header: not valid JSON"));
  CHECK_THAT(refusal(R"({"__metadata__":{"a":1}})", 0),
             Contains("expected __metadata__ 'a' to be a text; found number"));
  CHECK_THAT(refusal(R"({"w":1})", 0),
             Contains("tensor 'w': expected an object of dtype, shape and data_offsets"));
  CHECK_THAT(refusal(R"({"w":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}})", 2),
             Contains("tensor 'w': expected a dtype of F64, F32") && Contains("found F8_E4M3"));
  CHECK_THAT(refusal(R"({"w":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8),
             Contains("tensor 'w': expected shape to hold whole numbers; found -2"));
  CHECK_THAT(refusal(R"({"w":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", 8),
             Contains("found 2.0"));
  CHECK_THAT(refusal(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,12]}})", 12),
             Contains("tensor 'w': F32 of shape [2] expects 8 bytes; data_offsets give 12"));
  CHECK_THAT(refusal(R"({"w":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,0]}})", 0),
             Contains("expects " + std::string(too_many_bytes) + " bytes"));
  CHECK_THAT(refusal(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8),
             Contains("expected data_offsets [begin, end]; found [8,0]"));
  CHECK_THAT(refusal(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 7),
             Contains("tensor 'w'") && Contains("cut short at 7"));
  CHECK_THAT(refusal(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 9),
             Contains("the tensors end at byte 8") && Contains("1 bytes more"));
  CHECK_THAT(refusal(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},
                         "b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
                     6),
             Contains("tensor 'b': its data begins at byte 2, inside the data of tensor 'a'"));
  CHECK_THAT(refusal(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},
                         "b":{"dtype":"U8","shape":[1],"data_offsets":[5,6]}})",
                     6),
             Contains("tensor 'b': expected its data to begin at byte 4; found 5, which leaves a gap"));
  CHECK_THAT(refusal(R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},
                         "w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                     1),
             Contains("the header names 'w' twice"));
}

TEST_CASE("a header that nests deep is refused", "[safetensors]") {
  for (const std::string& deep : {deep_lists(), deep_objects()})
    for (const std::string& header : {R"({"w":{"dtype":)" + deep + R"(,"shape":[2],"data_offsets":[0,8]}})",
                                      R"({"w":{"dtype":"F32","shape":)" + deep + R"(,"data_offsets":[0,8]}})",
                                      R"({"w":{"dtype":"F32","shape":[2],"data_offsets":)" + deep + "}}",
                                      R"({"__metadata__":)" + deep + "}", R"({"w":)" + deep + "}"})
      CHECK(refusal(header, 8) ==
            "the header: expected lists and objects nested at most 64 deep; found more");
}

TEST_CASE("safetensors: long texts are said shortly", "[safetensors]") {
  const std::string word(1 << 20, 'w');
  std::string axes = "1";
  for (int i = 0; i < 100000; ++i) axes += ",1";
  for (const std::string& header :
       {R"({"w":{"dtype":")" + word + R"(","shape":[2],"data_offsets":[0,8]}})",
        R"({"w":{"dtype":"F32","shape":")" + word + R"(","data_offsets":[0,8]}})",
        R"({"w":{"dtype":"F32","shape":[")" + word + R"("],"data_offsets":[0,8]}})",
        R"({"w":{"dtype":"F32","shape":[)" + axes + R"(],"data_offsets":[0,8]}})",
        R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[)" + axes + "]}}", R"({")" + word + R"(":1})",
        R"({"__metadata__":{")" + word + R"(":1}})"}) {
    const std::string said = refusal(header, 8);
    CHECK(!said.empty());
    CHECK(said.size() < 300);
  }
}

// In time that grows with the square of their number, this would outlast the test's limit.
TEST_CASE("a header of many tensors", "[safetensors]") {
  constexpr int count = 200000;
  std::string header = "{";
  for (int i = 0; i < count; ++i)
    header += (i ? ",\"layers." : "\"layers.") + std::to_string(i) +
              R"(.weight":{"dtype":"U8","shape":[1],"data_offsets":[)" + std::to_string(i) + "," +
              std::to_string(i + 1) + "]}";
  const temporary_folder folder;
  const safetensors_file file(
      folder.write("x.safetensors", safetensors_bytes(header + "}", std::string(count, 'x'))));
  CHECK(file.tensors().size() == count);
}

TEST_CASE("safetensors: a file that is not there", "[safetensors]") {
  const temporary_folder folder;
  CHECK_THAT(message_of<error>([&] { safetensors_file{folder / "none"}; }),
             Contains("none: cannot open: No such file"));
  CHECK_THAT(message_of<error>([&] { safetensors_file{folder.path()}; }),
             Contains("expected a regular file"));
}

TEST_CASE("golden cases are whole safetensors files", "[safetensors]") {
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::golden_folder))
    if (entry.path().extension() == ".safetensors") {
      const safetensors_file file(entry.path());
      CHECK(file.metadata().contains("case"));
      CHECK(!file.tensors().empty());
      ++read;
    }
  CHECK(read > 0);
}
