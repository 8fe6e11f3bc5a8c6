#include <fovea/base/utf8.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace fovea;
using namespace fovea::core;

namespace {

/// The offset that check_utf8 names, or -1.
long bad_offset(const std::string& text) {
  try {
    check_utf8(text);
  } catch (const error& e) {
    const std::string message = e.what();
    return std::stol(message.substr(message.rfind(' ')));
  }
  return -1;
}

} // namespace

TEST_CASE("well-formed text passes, whatever its length", "[utf8]") {
  for (std::size_t length = 0; length < 20; ++length) CHECK(bad_offset(std::string(length, 'a')) == -1);
  CHECK(bad_offset("a\u00e9\u20ac\U0001f600\U0010ffff") == -1);
  CHECK(bad_offset(std::string(3, '\0')) == -1);
}

TEST_CASE("the first malformed byte is named", "[utf8]") {
  for (const std::string bad :
       {"\xff", "\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc3("})
    for (std::size_t before = 0; before < 18; ++before) {
      INFO(before);
      CHECK(bad_offset(std::string(before, 'a') + bad + "b") == static_cast<long>(before));
      CHECK(bad_offset("\u00e9" + std::string(before, 'a') + bad) == static_cast<long>(before) + 2);
    }
  CHECK_THROWS_WITH(check_utf8("caf\xe9"), "text: expected UTF-8; found byte 0xe9 at offset 3");
}

TEST_CASE("code points are read and written", "[utf8]") {
  for (const std::uint32_t value :
       {0u, 0x7fu, 0x80u, 0x7ffu, 0x800u, 0xd7ffu, 0xe000u, 0xffffu, 0x10000u, 0x10ffffu}) {
    std::string text = "x";
    append_utf8(text, value);
    const auto [found, bytes] = code_point_at(text, 1);
    CHECK(found == value);
    CHECK(bytes == text.size() - 1);
    CHECK(bad_offset(text) == -1);
  }
}

TEST_CASE("each longest ill-formed part becomes one U+FFFD", "[utf8]") {
  // The example of Unicode 15, table 3-8.
  CHECK(utf8_or_replacement("\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64") ==
        "a\ufffd\ufffd\ufffdb\ufffdc\ufffd\ufffdd");
  // Tables 3-9 to 3-11: overlong forms, surrogates, truncated sequences.
  CHECK(utf8_or_replacement("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41") ==
        "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\x41");
  CHECK(utf8_or_replacement("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41") ==
        "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\x41");
  CHECK(utf8_or_replacement("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41") == "\ufffd\ufffd\ufffd\ufffd\x41");
  CHECK(utf8_or_replacement("h\u00e9") == "h\u00e9");
}

TEST_CASE("Unicode classes", "[utf8]") {
  CHECK((is_letter('a') && is_letter(0xe9) && is_letter(0x4e2d) && is_letter(0x2b0) && !is_letter('1')));
  CHECK((is_number('1') && is_number(0xbd) && is_number(0x2167) && !is_number('a')));
  CHECK((is_punctuation('_') && is_punctuation(0x2014) && !is_punctuation('+') && !is_punctuation('$')));
  CHECK((is_nonspacing_mark(0x301) && !is_nonspacing_mark(0x903)));
  CHECK((is_other(0x200d) && is_other(0xe000) && is_other(7) && !is_other(0x378) && !is_other('a')));
  CHECK((is_white_space(0x3000) && is_white_space(0x85) && is_white_space('\v') && !is_white_space(0x200b)));
}
