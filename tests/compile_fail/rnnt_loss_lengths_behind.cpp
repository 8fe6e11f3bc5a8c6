// expect: {file}:{line}: lengths are an option, as in rnnt_loss(logits, targets, {.lengths = frames}), and blanks stand
//         behind the labels of a row [F0397]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, S + 1, 11});
  expr labels = g.input<i32>("labels", {B, S}), frames = g.input<i32>("frames", {B}), count = g.input<i32>("count", {B});
#ifdef ILL_FORMED
  expr y = rnnt_loss(x, labels, frames, count); // <- here
#else
  expr y = rnnt_loss(x, labels, {.lengths = frames});
#endif
  g.output("y", y);
  g.output("count", count);
});
