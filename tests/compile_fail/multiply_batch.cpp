// expect: {file}:{line}: cannot multiply [B, T, 768] and [S, 1, 768]: the last axis but two is B and S; a
//         size known only at run time fits itself and 1 [F0058]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 768});
  expr b = g.input<f32>("b", {S, 1, 768});
#ifdef ILL_FORMED
  expr y = a * b; // <- here
#else
  expr y = a * mean(b, S);
#endif
  g.output("y", y);
});
