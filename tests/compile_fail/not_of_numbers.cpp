// expect: {file}:{line}: !: expected a boolean, found float32 [B, T, 768] [F0057]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = where(!x, x, 0.0); // <- here
#else
  expr y = where(!(x < 0.0), x, 0.0);
#endif
  g.output("y", y);
});
