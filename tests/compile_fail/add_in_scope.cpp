// expect: {file}:{line}: in "encoder": cannot add [B, T, 768] and [B, T, 512]: the last axis is 768 and 512;
//         sizes must be equal, or one of them 1 [F0058]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 768});
  expr b = g.input<f32>("b", {B, T, 512});
#ifdef ILL_FORMED
  auto s = scope(a, "encoder"); expr y = a + b; // <- here
#else
  auto s = scope(a, "encoder"); expr y = a + linear(b, "wider", 768);
#endif
  g.output("y", y);
});
