// expect: {file}:{line}: pixel_shuffle: expected a factor of 1 to 46340, found 0 [F0390]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 4, 4, 8});
#ifdef ILL_FORMED
  expr y = pixel_shuffle(x, 0); // <- here
#else
  expr y = pixel_shuffle(x, 2);
#endif
  g.output("y", y);
});
