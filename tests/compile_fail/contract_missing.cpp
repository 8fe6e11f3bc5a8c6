// expect: {file}:{line}: contract: there is no axis T in [B, S, 64] [F0074]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 64});
  expr b = g.input<f32>("b", {B, S, 64});
#ifdef ILL_FORMED
  expr y = contract(a, b, T); // <- here
#else
  expr y = contract(a, b, 64);
#endif
  g.output("y", y);
});
