// expect: {file}:{line}: parameter: the name is empty [F0017]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = x * parameter(x, "", {768}); // <- here
#else
  expr y = x * parameter(x, "gain", {768});
#endif
  g.output("y", y);
});
