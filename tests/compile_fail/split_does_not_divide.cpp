// expect: {file}:{line}: split: the 768 features of [B, T, 768] do not divide into 5 equal parts [F0090]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  auto [q, k, v, r, y] = split<5>(x); // <- here
#else
  auto [q, k, y] = split<3>(x);
#endif
  g.output("y", y);
});
