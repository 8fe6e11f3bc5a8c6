// expect: {file}:{line}: binary_cross_entropy: cannot compare [B, T, 8] and [B, T]; their shapes must be
//         equal [F0203]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = binary_cross_entropy(x, mean(x, -1)); // <- here
#else
  expr y = binary_cross_entropy(mean(x, -1), mean(x, -1));
#endif
  g.output("y", y);
});
