// expect: {file}:{line}: ctc_loss: expected .lengths as int32 [B], found int32 [B, S] [F0361]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 11});
  expr labels = g.input<i32>("labels", {B, S}), frames = g.input<i32>("frames", {B});
#ifdef ILL_FORMED
  expr y = ctc_loss(x, labels, {.lengths = labels}); // <- here
#else
  expr y = ctc_loss(x, labels, {.lengths = frames});
#endif
  g.output("y", y);
  g.output("frames", frames);
});
