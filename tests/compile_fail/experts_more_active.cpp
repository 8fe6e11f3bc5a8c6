// expect: {file}:{line}: experts "e": expected 1 to 4 active experts, as many as gates [B, T, 4] has, found 5 [F0369]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
  expr gates = softmax(linear(x, "router", 4));
#ifdef ILL_FORMED
  expr y = experts(x, gates, "e", 16, {.active = 5}); // <- here
#else
  expr y = experts(x, gates, "e", 16, {.active = 2});
#endif
  g.output("y", y);
});
