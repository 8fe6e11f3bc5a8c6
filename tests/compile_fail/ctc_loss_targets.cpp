// expect: {file}:{line}: ctc_loss: expected float32 logits [batch, frames, classes] and int32 targets [batch,
//         labels], found [B, T, 11] and int32 [T, S] [F0359]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 11});
  expr turned = g.input<i32>("turned", {T, S}), labels = g.input<i32>("labels", {B, S});
#ifdef ILL_FORMED
  expr y = ctc_loss(x, turned); // <- here
#else
  expr y = ctc_loss(x, labels);
#endif
  g.output("y", y);
  g.output("others", turned);
  g.output("labels", labels);
});
