// expect: {file}:{line}: rnnt_loss: expected the logits of S + 1 places, one before each label and one behind the last,
//         found S in [B, T, S, 11] [F0396]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr frames = g.input<f32>("frames", {B, T, 11});
  expr labels = g.input<i32>("labels", {B, S});
#ifdef ILL_FORMED
  expr read = labels;
#else
  expr read = pad(labels, axis(1), 1, 0);
#endif
  expr places = embedding(read, "labels", 11, 11);
  expr y = rnnt_loss(unsqueeze(frames, 2) + unsqueeze(places, 1), labels); // <- here
  g.output("y", y);
});
