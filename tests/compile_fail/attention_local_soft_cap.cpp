// expect: {file}:{line}: attention: local attention takes no soft cap, found 30 [F0170]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr q = g.input<f32>("q", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", attention(q, q, q, {.soft_cap = 30, .mode = local_m(2)})); // <- here
#else
  g.output("y", attention(q, q, q, {.mode = local_m(2)}));
#endif
});
