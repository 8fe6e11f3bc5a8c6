// expect: {file}:{line}: cannot reshape [B, T, 768] to [B, T, 12, 60]: 768*B*T elements and 720*B*T [F0079]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = reshape(x, {B, T, 12, 60}); // <- here
#else
  expr y = reshape(x, {B, T, 12, 64});
#endif
  g.output("y", y);
});
