#include "../laws/catalogue.hpp"
#include "random_sizes.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

inline constexpr dim T{"T"};
const size_ranges sounds{{"B", {1, 3}}, {"T", {1, 40}}};

} // namespace

TEST_CASE("calls of convolutional networks", "[random]") {
  check_drawn_calls(kim_cnn<small_kim_cnn>, {{"B", {1, 3}}, {"T", {5, 40}}}); // the width of its windows
  check_drawn_calls(tcn<small_tcn>, sounds);
  check_drawn_calls(wavenet<small_wavenet>, sounds);
  check_drawn_calls(sagan<36, small_sagan>, {{"B", {1, 3}}, {"H", {1, 9}}, {"W", {1, 9}}});
  check_drawn_calls(silero_vad, {{"B", {1, 2}}, {"T", {1, 5}}});
}

TEST_CASE("steps and rows of convolutional networks", "[random]") {
  check_drawn_steps<T>(wavenet<small_wavenet>, sounds);
  check_drawn_steps<T>(silero_vad, {{"B", {1, 2}}, {"T", {1, 5}}});
  check_drawn_rows<T>(wavenet<small_wavenet>, sounds);
}
