// expect: {file}:{line}: rnnt_loss: expected float32 logits [batch, frames, labels + 1, classes] and int32 targets
//         [batch, labels], found [B, T, 11] and int32 [B, S] [F0395]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr frames = g.input<f32>("frames", {B, T, 11}), places = g.input<f32>("places", {B, S + 1, 11});
  expr labels = g.input<i32>("labels", {B, S});
#ifdef ILL_FORMED
  expr y = rnnt_loss(frames, labels); // <- here
#else
  expr y = rnnt_loss(unsqueeze(frames, 2) + unsqueeze(places, 1), labels);
#endif
  g.output("y", y);
  g.output("frames", frames);
  g.output("places", places);
});
