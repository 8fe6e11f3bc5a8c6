// expect: {file}:{line}: cross_entropy: the classes of [B, 5, T] are axis 1 beside targets [B, T]; expected them
//         in the last axis, where permute sets them [F0398]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr logits = g.input<f32>("logits", {B, 5, T});
  expr targets = g.input<i32>("targets", {B, T});
#ifdef ILL_FORMED
  expr loss = cross_entropy(logits, targets); // <- here
#else
  expr loss = cross_entropy(permute(logits, {0, 2, 1}), targets);
#endif
  g.output("loss", loss);
});
