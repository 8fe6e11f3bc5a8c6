// expect: {file}:{line}: cross_entropy: the logits come first, then the targets; found
//         int32 [B, T] and float32 [B, T, 6] [F0204]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr logits = g.input<f32>("logits", {B, T, 6});
  const expr targets = g.input<i32>("targets", {B, T});
#ifdef ILL_FORMED
  const expr loss = cross_entropy(targets, logits); // <- here
#else
  const expr loss = cross_entropy(logits, targets);
#endif
  g.output("loss", loss);
});
