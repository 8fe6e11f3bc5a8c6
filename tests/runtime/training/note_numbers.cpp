#include <fovea/runtime/training/note_numbers.hpp>

#include <catch2/catch.hpp>

#include <clocale>
#include <cmath>
#include <limits>

using namespace fovea;
using namespace fovea::core;

TEST_CASE("a number's text gives the same number back", "[training]") {
  using limits = std::numeric_limits<double>;
  for (const double x : {0.0, 1.0, 0.1, -2.5, 1e300, limits::max(), limits::min(), limits::denorm_min(),
                         limits::infinity(), 0x1p53, 1.0 / 3}) {
    INFO(exact_text(x));
    CHECK(exact_number(exact_text(x)) == x);
    CHECK(exact_number(exact_text(-x)) == -x);
  }
  CHECK(std::signbit(*exact_number(exact_text(-0.0))));
  CHECK(std::isnan(*exact_number(exact_text(limits::quiet_NaN()))));
  CHECK(exact_text(0.1) == "0x1.999999999999ap-4"); // as %a writes it, which older checkpoints hold
  CHECK(exact_number("0x1.8p+1") == 3);
  CHECK(exact_number("12") == 12);
  CHECK(exact_number("-1e3") == -1000);
}

TEST_CASE("a text that is not all a number is none", "[training]") {
  for (const char* text :
       {"", "-", "0x", "x", "--1", "-0x-1", "0x-1", "+1", " 1", "1 ", "1,5", "1e400", "0b1"})
    CHECK(exact_number(text) == std::nullopt);
}

TEST_CASE("numbers of notes do not depend on the locale", "[training]") {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  const bool has_comma = std::setlocale(LC_NUMERIC, "de_DE.UTF-8") != nullptr; // where it is installed
  CAPTURE(has_comma);
  CHECK(exact_text(1.5) == "0x1.8p+0");
  CHECK(exact_number("1.5") == 1.5);
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST_CASE("a note's number lies where it is expected", "[training]") {
  const std::map<std::string, std::string> notes{{"n", "3"}, {"bad", "3 apples\n"}};
  CHECK(number_in_note(notes, "n", "c", 0, 3) == 3);
  CHECK_THROWS_WITH(number_in_note(notes, "n", "c", 0, 2),
                    "c: expected a number in the note \"n\", found '3'");
  CHECK_THROWS_WITH(number_in_note(notes, "m", "c", 0, 2),
                    "c: expected a number in the note \"m\", found no such note");
  CHECK_THROWS_WITH(number_in_note(notes, "bad", "c", 0, 9),
                    "c: expected a number in the note \"bad\", found '3 apples\\x0a'");
}
