// expect: {file}:{line}: linear: expected a parameter [out, 4] to multiply [B, 4] by, found [4, 8] [F0045]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 4});
#ifdef ILL_FORMED
  g.output("y", linear(x, parameter(x, "w", {4, 8}))); // <- here
#else
  g.output("y", linear(x, parameter(x, "w", {8, 4})));
#endif
});
