// expect: {file}:{line}: instance_norm "norm": expected [batch, ..., features] with axes between, found [B,
//         8] [F0394]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 8});
#ifdef ILL_FORMED
  expr y = instance_norm(x, "norm"); // <- here
#else
  expr y = instance_norm(unsqueeze(x, 1), "norm");
#endif
  g.output("y", y);
});
