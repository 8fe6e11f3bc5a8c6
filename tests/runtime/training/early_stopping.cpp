#include <fovea/runtime/training/early_stopping.hpp>

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::core;

TEST_CASE("training stops when the loss has not been better for long", "[training]") {
  early_stopping stopping(2);
  CHECK(stopping.improved(3));
  CHECK_FALSE(stopping.improved(3));
  CHECK(stopping.improved(0.1));
  CHECK_FALSE(stopping.improved(std::numeric_limits<double>::quiet_NaN()));
  CHECK_FALSE(stopping.stop());

  // What a checkpoint keeps goes on as if nothing had been.
  std::map<std::string, std::string> notes;
  stopping.keep_in(notes);
  early_stopping resumed(2);
  resumed.take_from(notes);
  CHECK(resumed.best() == 0.1);
  CHECK_FALSE(resumed.improved(0.2));
  CHECK(resumed.stop());

  early_stopping never;
  never.keep_in(notes);
  never.take_from(notes);
  CHECK(never.best() == std::numeric_limits<double>::infinity());
  for (int i = 0; i < 9; ++i) never.improved(1);
  CHECK_FALSE(never.stop());
}

TEST_CASE("notes that are no numbers are refused", "[training]") {
  early_stopping stopping(2);
  stopping.improved(3);
  CHECK_THROWS_WITH(stopping.take_from({{"worse", "1"}}),
                    "early stopping: expected a number in the note \"best\", found no such note");
  for (const std::string text : {"", "x", "1 2", "nan"})
    CHECK_THROWS_WITH(stopping.take_from({{"best", text}, {"worse", "1"}}),
                      "early stopping: expected a number in the note \"best\", found '" + text + "'");
  for (const std::string text : {"", "-1", "1e300", "inf"})
    CHECK_THROWS_WITH(stopping.take_from({{"best", "2"}, {"worse", text}}),
                      "early stopping: expected a number in the note \"worse\", found '" + text + "'");
  CHECK(stopping.best() == 3);
}
