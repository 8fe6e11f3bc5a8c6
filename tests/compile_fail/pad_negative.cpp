// expect: {file}:{line}: pad: expected counts of 0 to 1073741823, found -1 and 0 [F0097]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = pad(x, T, -1, 0); // <- here
#else
  expr y = pad(x, T, 1, 0);
#endif
  g.output("y", y);
});
