// Scans that do the same, of which one function serves all, and scans that nearly do.

#include <catch2/catch.hpp>

#include "../compare_backends.hpp"

#include <fovea/backends/simd/equal_scans.hpp>

#include <vector>

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto layers = model("layers", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6}), start = g.input<f32>("start", {B, 6});
  g.output("second", gru(gru(x, "a", 6).output, "b", 6).output);
  recurrent_state state;
  state.count = 1, state.hidden[0] = start;
  g.output("begun", gru(x, "c", 6, {.initial = state}).output);
  g.output("reversed", gru(x, "d", 6, {.reverse = true}).output);
  g.output("wider", gru(x, "e", 7).output);
  g.output("another", lstm(x, "f", 6).output);
});

/// A cell whose two vectors are given: one parameter twice, or two.
constexpr expr scaled(expr x, expr first, expr second, double by) {
  return scan(x, zeros(x, {B, 6}),
              [&](expr now, expr h) {
                const expr next = tanh(now + h * first + sigmoid(h) * second * by);
                return scan_step{next, next};
              })
      .output;
}

constexpr auto nearly = model("nearly", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  const expr a = parameter(x, "a", {6}, init::uniform(1)), b = parameter(x, "b", {6}, init::uniform(1));
  g.output("two", scaled(x, a, b, 0.5));
  g.output("turned", scaled(x, b, a, 0.5));
  g.output("one", scaled(x, a, a, 0.5));
  g.output("stronger", scaled(x, a, b, 0.75));
});

/// For each scan of a model's plan, which scan's code it has.
template <class M>
std::vector<int> codes(const M&) {
  using lowered = typename M::lowered;
  std::vector<int> numbers(static_cast<std::size_t>(lowered::schedule.step_count), -1), found;
  for (int i = 0, scans = 0; i < lowered::schedule.step_count; ++i) {
    if (lowered::schedule.steps[i].kind != core::step_kind::loop_begin) continue;
    numbers[static_cast<std::size_t>(i)] = scans++;
    found.push_back(numbers[static_cast<std::size_t>(core::simd::first_equal_scan<lowered>(i))]);
  }
  return found;
}

} // namespace

TEST_CASE("layers that are written out share the code of their scan") {
  CHECK(codes(layers) == std::vector<int>{0, 0, 0, 3, 4, 5});
  compare_at_awkward_sizes(layers);
}

TEST_CASE("scans that differ in what they read, or by a number, have code of their own") {
  CHECK(codes(nearly) == std::vector<int>{0, 0, 2, 3});
  compare_at_awkward_sizes(nearly);
}
