// expect: {file}:{line}: pixel_unshuffle: the height T of [B, T, 4, 8] is no multiple of 2 [F0392]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 4, 8});
#ifdef ILL_FORMED
  expr y = pixel_unshuffle(x, 2); // <- here
#else
  expr y = pixel_unshuffle(pixel_shuffle(x, 2), 2);
#endif
  g.output("y", y);
});
