#include <fovea/base/number_text.hpp>
#include <fovea/base/read_number.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <string>

using namespace fovea::core;

namespace {

std::errc refusal(const char* text, std::chars_format how = std::chars_format::general) {
  double to = 7;
  const std::errc found = read_number(text, to, how);
  CHECK(to == 7);
  return found;
}

} // namespace

TEST_CASE("a number is a text from end to end, in no language's manner") {
  CHECK(number_in<double>("1.5") == 1.5);
  CHECK(number_in<double>("-.5e-3") == -0.5e-3);
  CHECK(number_in<double>("4.9406564584124654e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(number_in<double>("0e9999") == 0);
  CHECK(number_in<float>("16777217") == 16777216.f);
  CHECK(number_in<float>("1.00000017881393432617187500001") == 1.00000024f); // rounded once
  CHECK(number_in<double>("inf") == std::numeric_limits<double>::infinity());
  CHECK(number_in<double>("-inf") == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(*number_in<double>("nan")));
  for (const char* text :
       {"", " 1", "1 ", "+1", "--1", "0x10", "1,5", "1.5f", "e3", ".", "-", "1e", "one", "infinite"})
    CHECK(refusal(text) == std::errc::invalid_argument);
  CHECK(refusal("1e999") == std::errc::result_out_of_range);
  CHECK(refusal("-1e999") == std::errc::result_out_of_range);
  CHECK(refusal("1e-999") == std::errc::result_out_of_range);
  CHECK_FALSE(number_in<float>("1e39"));
}

TEST_CASE("a hexadecimal number is read to its last bit") {
  CHECK(number_in<double>("1.8p+1", std::chars_format::hex) == 3);
  CHECK(number_in<double>("-1.fffffffffffffp-3", std::chars_format::hex) == -0x1.fffffffffffffp-3);
  CHECK(number_in<double>("a", std::chars_format::hex) == 10);
  for (const char* text : {"", "0x1", "1.8p", "g", "p3"})
    CHECK(refusal(text, std::chars_format::hex) == std::errc::invalid_argument);
}

TEST_CASE("whole numbers have the range of their type") {
  CHECK(number_in<int>("-12") == -12);
  CHECK(number_in<std::size_t>("12") == std::size_t{12});
  for (const char* text : {"", "-1", "1.0", "12 ", "99999999999999999999999"})
    CHECK_FALSE(number_in<std::size_t>(text));
}

TEST_CASE("a number in a sentence has six digits") {
  for (const auto& [number, text] : std::initializer_list<std::pair<double, const char*>>{
           {0, "0"},
           {1, "1"},
           {-1.5, "-1.5"},
           {0.1, "0.1"},
           {1e-5, "1e-05"},
           {123456, "123456"},
           {1234567, "1.23457e+06"},
           {2.0 / 3, "0.666667"},
           {std::numeric_limits<double>::infinity(), "inf"}})
    CHECK(number_text(number) == text);
}
