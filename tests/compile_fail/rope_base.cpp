// expect: {file}:{line}: rope: expected a finite base above 0, found infinity [F0132]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = rope(x, {.base = __builtin_inf()}); // <- here
#else
  expr y = rope(x, {.base = 1e6});
#endif
  g.output("y", y);
});
