// expect: {file}:{line}: expert_linear "e": expected 1 to 134217727 experts, found 0 [F0366]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
  expr which = top_k(x, 2).indices;
#ifdef ILL_FORMED
  expr y = expert_linear(x, which, "e", 0, 16); // <- here
#else
  expr y = expert_linear(x, which, "e", 8, 16);
#endif
  g.output("y", y);
});
