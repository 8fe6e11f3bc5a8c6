// expect: {file}:{line}: /: divides [B, T, 64] by 0 [F0060]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = x / 0; // <- here
#else
  expr y = x / 1;
#endif
  g.output("y", y);
});
