#include "run_graph.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr dim B{"B"}, T{"T"};

const named_arrays given{{"x", {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}}}}; // [2, 3, 2]

expr x_of(graph& g) { return g.input<f32>("x", {B, T, 2}); }

} // namespace

TEST_CASE("reshape, unsqueeze, permute and broadcast", "[shape]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = x_of(g);
        g.output("reshape", reshape(x, {"B", T * 2}));
        g.output("unsqueeze", unsqueeze(sum(x, axis(-1)), 1));
        g.output("permute", permute(x, {1, 2, 0}));
        g.output("broadcast", broadcast(unsqueeze(sum(x, axis(1)), 1), {2, "B", 3, 2}));
      },
      given);
  check_close(out.at("reshape"), {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}});
  check_close(out.at("unsqueeze"), {{{3, 7, 11}}, {{15, 19, 23}}});
  check_close(out.at("permute"), {{{1, 7}, {2, 8}}, {{3, 9}, {4, 10}}, {{5, 11}, {6, 12}}});
  check_close(out.at("broadcast"), tensor({2, 2, 3, 2}, {9, 12, 9, 12, 9, 12, 27, 30, 27, 30, 27, 30,
                                                         9, 12, 9, 12, 9, 12, 27, 30, 27, 30, 27, 30}));
}

TEST_CASE("slice of each axis, from either end", "[shape]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = x_of(g);
        g.output("last_row", slice(x, B, B - 1, B));
        g.output("middle", slice(x, T, 1, 3));
        g.output("but_last", slice(x, T, 0, -1));
        const auto [first, second] = split<2>(x);
        g.output("first", first);
        g.output("second", second);
      },
      given);
  check_close(out.at("last_row"), {{{7, 8}, {9, 10}, {11, 12}}});
  check_close(out.at("middle"), {{{3, 4}, {5, 6}}, {{9, 10}, {11, 12}}});
  check_close(out.at("but_last"), {{{1, 2}, {3, 4}}, {{7, 8}, {9, 10}}});
  check_close(out.at("first"), tensor({2, 3, 1}, {1, 3, 5, 7, 9, 11}));
  check_close(out.at("second"), tensor({2, 3, 1}, {2, 4, 6, 8, 10, 12}));
}

TEST_CASE("a slice outside a run-time axis names the op's place", "[shape]") {
  const int line = __LINE__ + 1;
  const auto declare = [](graph& g) { g.output("y", slice(x_of(g), T, 2, 5)); };
  CHECK_THROWS_WITH(run_graph(declare, given), "shape.cpp:" + std::to_string(line) +
                                                   ": slice: from 2 to 5 is outside axis 1 of [2, 3, 2]");
}

TEST_CASE("a shape that would be negative names the op's place", "[shape]") {
  const int line = __LINE__ + 1;
  const auto declare = [](graph& g) { g.output("y", range(x_of(g), T - 5)); };
  CHECK_THROWS_WITH(run_graph(declare, given), "shape.cpp:" + std::to_string(line) +
                                                   ": range: axis 0 of [T - 5] would have -2 elements");
}

TEST_CASE("concat joins along any axis, the same value twice too", "[shape]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = x_of(g), first = slice(x, T, 0, 1);
        g.output("times", concat(axis(1), x, first, first));
        g.output("features", concat(axis(-1), first, first));
        g.output("batch", concat(axis(0), first, slice(first, B, 0, 1)));
      },
      given);
  check_close(out.at("times"),
              {{{1, 2}, {3, 4}, {5, 6}, {1, 2}, {1, 2}}, {{7, 8}, {9, 10}, {11, 12}, {7, 8}, {7, 8}}});
  check_close(out.at("features"), {{{1, 2, 1, 2}}, {{7, 8, 7, 8}}});
  check_close(out.at("batch"), {{{1, 2}}, {{7, 8}}, {{1, 2}}});
}

TEST_CASE("pad and reverse", "[shape]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = slice(x_of(g), T, 0, 2);
        g.output("times", pad(x, axis(1), 1, 0));
        g.output("features", pad(x, axis(2), 0, 2, -1));
        g.output("batch", pad(x, axis(0), 0, 1, 5));
        g.output("reversed", reverse(x, axis(1)));
        g.output("mirrored", reverse(x, axis(-1)));
      },
      given);
  check_close(out.at("times"), {{{0, 0}, {1, 2}, {3, 4}}, {{0, 0}, {7, 8}, {9, 10}}});
  check_close(out.at("features"), {{{1, 2, -1, -1}, {3, 4, -1, -1}}, {{7, 8, -1, -1}, {9, 10, -1, -1}}});
  check_close(out.at("batch"), {{{1, 2}, {3, 4}}, {{7, 8}, {9, 10}}, {{5, 5}, {5, 5}}});
  check_close(out.at("reversed"), {{{3, 4}, {1, 2}}, {{9, 10}, {7, 8}}});
  check_close(out.at("mirrored"), {{{2, 1}, {4, 3}}, {{8, 7}, {10, 9}}});
}
