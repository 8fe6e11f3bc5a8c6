// expect: {file}:{line}: cross_entropy: logits [B, T, 768] and targets [B, S] do not fit; expected targets
//         [B, T] [F0206]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr targets = g.input<i32>("targets", {B, S});
  expr labels = g.input<i32>("labels", {B, T});
#ifdef ILL_FORMED
  expr y = cross_entropy(x, targets); // <- here
#else
  expr y = cross_entropy(x, labels);
#endif
  g.output("y", y);
  g.output("others", targets);
  g.output("labels", labels);
});
