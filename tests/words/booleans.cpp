// Choices between booleans.

#include <catch2/catch.hpp>

#include "../training/gradient_case.hpp"

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto choices = model("choices", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 5}), y = g.input<f32>("y", {T, 5});
  const expr i = g.input<i32>("i", {B, T});
  const expr outside = where(x > 0, x > 0.5, x < -0.5);
  g.output("outside", where(outside, x, 0.0));
  g.output("nested", to_float(where(outside, y > 0, where(x < y, y < 0, false))));
  g.output("mapped", map(x, y, [](scalar a, scalar b) { return where(where(a<b, true, a> 0.5), a, b); }));
  // What is stored, not computed where it is read.
  g.output("moved", permute(where(where(i<3, i> 0, i == 5), i, -1), {1, 0}));
  g.output("counts", sum(to_float(unsqueeze(where(i<3, i> 0, i == 5), 2)) + x, axis(1)));
});

constexpr auto learned = model("learned", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 5}), h = linear(x, "h", 5);
  g.output("loss", mse(where(where(h > 0, h > 0.2, x > 0), h * x, h), x));
});

constexpr auto seen = model("seen", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  g.output("y", attention(x, x, x, {.heads = 2, .mask = [](scalar q, scalar k, scalar head) {
                                      return where(head == 0, k <= q, where(q % 2 == 0, true, q <= k));
                                    }}));
});

constexpr auto stepped = model("stepped", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4});
  g.output("y", scan(x, zeros(x, {B, 4}), [](expr now, expr h) {
             const expr opened = where(h > 0, now > 0.1, now < -0.1);
             const expr next = linear(where(opened, now + h, h), "next", 4);
             return scan_step{next, next};
           }));
});

} // namespace

TEST_CASE("a choice between booleans is one: nested, written as true or false, mapped and stored") {
  compare_at_awkward_sizes(choices);
}

TEST_CASE("gradients pass by choices between booleans") { check_gradients_of_words(learned); }

TEST_CASE("masks and cells choose between booleans") {
  compare_at_awkward_sizes(seen);
  compare_at_awkward_sizes(stepped);
}
