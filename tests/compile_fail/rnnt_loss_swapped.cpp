// expect: {file}:{line}: rnnt_loss: the logits come first, then the targets; found int32 [B, S] and float32 [B, T, S + 1,
//         11] [F0371]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, S + 1, 11});
  expr labels = g.input<i32>("labels", {B, S});
#ifdef ILL_FORMED
  expr y = rnnt_loss(labels, x); // <- here
#else
  expr y = rnnt_loss(x, labels);
#endif
  g.output("y", y);
});
