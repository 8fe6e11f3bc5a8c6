// expect: {file}:{line}: lstm "r": expected a state of 64 features, found [B, T, 1] [F0181]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = lstm.step(x, std::array<expr, 2>{x, sum(x, axis(-1), {.keep = true})}, "r", 64)[0]; // <- here
#else
  expr y = lstm.step(x, std::array<expr, 2>{x, x}, "r", 64)[0];
#endif
  g.output("y", y);
});
