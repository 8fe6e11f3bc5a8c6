// expect: {file}:{line}: cannot add [B, T, 768] and [B, S, 768]: the last axis but one is T and S; a size
//         known only at run time fits itself and 1 [F0058]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 768});
  expr b = g.input<f32>("b", {B, S, 768});
#ifdef ILL_FORMED
  expr y = a + b; // <- here
#else
  expr y = a + mean(b, S, {.keep = true});
#endif
  g.output("y", y);
});
