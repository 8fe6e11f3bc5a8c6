// expect: {file}:{line}: pixel_shuffle: the 8 features of [B, 4, 4, 8] are no multiple of 9, the square of
//         the factor 3 [F0391]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 4, 4, 8});
#ifdef ILL_FORMED
  expr y = pixel_shuffle(x, 3); // <- here
#else
  expr y = pixel_shuffle(x, 2);
#endif
  g.output("y", y);
});
