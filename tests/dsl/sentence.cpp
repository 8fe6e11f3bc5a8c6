#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include <fovea/dsl/sentence.hpp>

using namespace fovea;
using namespace fovea::core;

namespace {

template <class T>
std::string text(const T& what) {
  sentence s;
  s << what;
  return s.text;
}

} // namespace

TEST_CASE("numbers in a sentence have at most six decimals") {
  CHECK(text(0.5) == "0.5");
  CHECK(text(-1.25) == "-1.25");
  CHECK(text(3.0) == "3");
  CHECK(text(1e-6) == "0.000001");
  CHECK(text(1e-7) == "0");
  CHECK(text(0.1234567) == "0.123457");
  CHECK(text(0.9999999) == "1");
  CHECK(text(1e15) == "more than 10^15");
  CHECK(text(-1e300) == "-more than 10^15");
  CHECK(text(std::numeric_limits<double>::infinity()) == "infinity");
  CHECK(text(-std::numeric_limits<double>::infinity()) == "-infinity");
  CHECK(text(std::numeric_limits<double>::quiet_NaN()) == "not a number");
  CHECK(text(std::int64_t{-120}) == "-120");
  CHECK(text(std::numeric_limits<std::int64_t>::max()) == "9223372036854775807");
}

TEST_CASE("a sentence is cut where it has no more room, and a place is a file without its folders") {
  sentence s;
  for (std::size_t i = 0; i < sentence::capacity; ++i) s << 'a';
  s << "b" << 7;
  CHECK(std::string(s.text) == std::string(sentence::capacity, 'a'));
  CHECK(text(source_place{"models/large/gpt.cpp", 10}) == "gpt.cpp:10");
  CHECK(text(source_place{"C:\\models\\gpt.cpp", 10}) == "gpt.cpp:10");
  CHECK(text(source_place{"gpt.cpp", 10}) == "gpt.cpp:10");
  CHECK(text(s).size() == sentence::capacity);
}
