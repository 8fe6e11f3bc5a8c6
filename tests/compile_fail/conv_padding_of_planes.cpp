// expect: {file}:{line}: conv1d "conv": expected one number as padding, found two, which are for planes; to
//         pad each end of the time by its own, use the word pad [F0112]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", 128, 3, {.padding = {2, 0}}); // <- here
#else
  expr y = conv1d(pad(x, T, 2, 0), "conv", 128, 3);
#endif
  g.output("y", y);
});
