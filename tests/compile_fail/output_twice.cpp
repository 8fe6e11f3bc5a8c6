// expect: {file}:{line}: output "y": there is an output of this name already [F0026]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  g.output("y", x);
#ifdef ILL_FORMED
  g.output("y", exp(x)); // <- here
#else
  g.output("z", exp(x));
#endif
});
