#include <fovea/runtime/tokenizers/llama2c_tokenizer.hpp>

#include "../../gguf_writer.hpp"
#include "../../weights/temporary_folder.hpp"

#include <fovea/base/error.hpp>
#include <fovea/runtime/tokenizers/decoder.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

using namespace fovea;
using namespace fovea::core;
using fovea::core::test::bytes_of;

namespace {

using id_list = std::vector<token_id>;

std::string entry(const std::string& token, float score = 0) {
  return bytes_of(score) + bytes_of(static_cast<std::int32_t>(token.size())) + token;
}

/// Tokens 0 to 258 as every file has them, the longest of 8 bytes.
std::string front() {
  std::string file = bytes_of(std::int32_t{8}) + entry("<unk>") + entry("\n<s>\n") + entry("\n</s>\n");
  for (int byte = 0; byte < 256; ++byte) file += entry(fallback_token(static_cast<unsigned char>(byte)));
  return file;
}

tokenizer parsed(const std::string& file) {
  return parse_llama2c_tokenizer(std::as_bytes(std::span(file)), "tok.bin");
}

std::string refusal(const std::string& file) {
  try {
    parsed(file);
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

} // namespace

TEST_CASE("llama2.c's tokens are merged by score", "[llama2c_tokenizer]") {
  const std::string file =
      front() + entry(" ", -5) + entry("a", -5) + entry("b", -5) + entry("ab", -2) + entry(" a", -1);
  const tokenizer tokens = parsed(file);
  CHECK(tokens.vocabulary_size() == 264);
  CHECK(tokens.token(1) == "<s>");
  CHECK(tokens.encode("").ids == id_list{1});
  CHECK(tokens.encode("ab").ids == id_list{1, 263, 261});
  CHECK(tokens.encode(" ab", {.special = false}).ids == id_list{259, 263, 261});
  CHECK(tokens.encode("bab\n", {.special = false}).ids == id_list{259, 261, 262, 13});
  const auto of_marks = tokens.encode("<s>").ids; // spells no special token
  CHECK(of_marks == id_list{1, 259, 3 + '<', 3 + 's', 3 + '>'});
  for (const std::string text : {"", " ", "ab", "  a\u00e9\U0001f600", "<s>"})
    CHECK(tokens.decode(tokens.encode(text).ids) == text);

  const temporary_folder folder;
  CHECK(load_tokenizer(folder.write("tok.bin", file)).encode("ab").ids == id_list{1, 263, 261});
  const auto bytes = std::as_bytes(std::span(file));
  CHECK(load_tokenizer(bytes, "tok.bin").encode("ab").ids == id_list{1, 263, 261});
  CHECK_THROWS_WITH(load_tokenizer(bytes.first(9), "part.bin"),
                    Catch::StartsWith("part.bin: the file is cut short"));
}

TEST_CASE("a damaged file of llama2.c is refused", "[llama2c_tokenizer]") {
  CHECK(refusal(front()).empty());
  CHECK_THAT(refusal(""), Catch::StartsWith("tok.bin: the file is cut short"));
  CHECK_THAT(refusal(front() + entry("abc").substr(0, 9)),
             Catch::StartsWith("tok.bin: the file is cut short: expected 3 bytes of token 259"));
  CHECK(refusal(front() + entry("abcdefghi")) == "tok.bin: token 259: expected a length of 1 to 8; found 9");
  CHECK(refusal(front() + entry("")) == "tok.bin: token 259: expected a length of 1 to 8; found 0");
  CHECK(refusal(front() + entry("<0x41>")) == "tok.bin: token '<0x41>' has two ids, 68 and 259");
  CHECK(refusal(front() + entry("\xc3")) == "tok.bin: token 259: expected UTF-8; found '\ufffd'");
  CHECK_THAT(refusal(front() + entry("a", std::nanf(""))),
             Catch::StartsWith("tok.bin: token 259: expected a score that is a number"));
  CHECK(refusal(front().substr(0, front().size() - entry("<0xFF>").size())) ==
        "tok.bin: expected at least 259 tokens; found 258");
  std::string other = front();
  other[other.find("<0x0A>") + 4] = 'Z';
  CHECK(refusal(other) == "tok.bin: token 13: expected '<0x0A>'; found '<0x0Z>'");
}
