#include "random_sizes.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto cells = model("cells", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 7}), lengths = g.input<i32>("lengths", {B});
  g.output("elman", elman(x, "elman", 5, {.reverse = true, .lengths = lengths}));
  g.output("gru", gru(x, "gru", 19, {.lengths = lengths}));
  g.output("lstm", lstm(x, "lstm", 13, {.layers = 2}));
  g.output("both", bidirectional(gru, x, "both", 6, {.lengths = lengths}));
});

/// Weights of more than 128 KiB, whose products are the library's.
constexpr auto wide = model("wide", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 40});
  g.output("y", lstm(gru(x, "gru", 90), "lstm", 70));
});

constexpr auto moving = model("moving", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 3});
  g.output("y", linear(lstm(gru(x, "gru", 9), "lstm", 7), "out", 2) + slice(x, axis(2), 0, 2));
});

const size_ranges sizes{{"B", {1, 5}}, {"T", {1, 30}}};

} // namespace

TEST_CASE("calls of recurrences", "[random]") {
  check_drawn_calls(cells, sizes);
  check_drawn_calls(wide, sizes);
}

TEST_CASE("calls of recurrences that round", "[random]") { check_drawn_rounding(wide, sizes); }

TEST_CASE("steps and rows of recurrences", "[random]") {
  check_drawn_steps<T>(moving, sizes);
  check_drawn_steps<T>(wide, sizes);
  check_drawn_rows<T>(moving, sizes);
}
