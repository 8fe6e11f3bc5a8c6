// expect: {file}:{line}: mse: cannot compare [B, T, 768] and [B, T, 1]; their shapes must be equal [F0203]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 768});
  expr b = g.input<f32>("b", {B, T, 1});
#ifdef ILL_FORMED
  expr y = mse(a, b); // <- here
#else
  expr y = mse(a, broadcast(b, {B, T, 768}));
#endif
  g.output("y", y);
});
