// expect: {file}:{line}: ctc_loss: expected a blank of 0 to 10, found 11 [F0360]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 11});
  expr labels = g.input<i32>("labels", {B, S});
#ifdef ILL_FORMED
  expr y = ctc_loss(x, labels, {.blank = 11}); // <- here
#else
  expr y = ctc_loss(x, labels, {.blank = 10});
#endif
  g.output("y", y);
});
