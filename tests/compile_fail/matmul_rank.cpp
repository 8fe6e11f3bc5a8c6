// expect: {file}:{line}: matmul: expected at least two axes on both sides, found [768] and [768, 512] [F0048]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {768});
  expr b = g.input<f32>("b", {768, 512});
#ifdef ILL_FORMED
  expr y = matmul(a, b); // <- here
#else
  expr y = matmul(unsqueeze(a, 0), b);
#endif
  g.output("y", y);
});
