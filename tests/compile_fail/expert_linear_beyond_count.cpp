// expect: {file}:{line}: expert_linear "e": the experts [B, T, 2] are 0 to 7, and there are 4 [F0368]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
  expr which = top_k(x, 2).indices;
#ifdef ILL_FORMED
  expr y = expert_linear(x, which, "e", 4, 16); // <- here
#else
  expr y = expert_linear(x, which, "e", 8, 16);
#endif
  g.output("y", y);
});
