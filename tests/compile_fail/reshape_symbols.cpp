// expect: {file}:{line}: cannot reshape [B, T, 768] to [B, S, 768]: 768*B*T elements and 768*B*S [F0079]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = reshape(x, {B, S, 768}); // <- here
#else
  expr y = reshape(x, {B * T, 768});
#endif
  g.output("y", y);
});
