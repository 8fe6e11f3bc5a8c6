// expect: {file}:{line}: last: there is no axis T in [B, 768] [F0074]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = last(g.input<f32>("x", {B, T, 768}), T);
#ifdef ILL_FORMED
  x = last(x, T); // <- here
#endif
  g.output("y", x);
});
