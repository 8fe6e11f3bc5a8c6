// expect: {file}:{line}: attention: expected a half window of at least 1, found 0 [F0135]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr q = g.input<f32>("q", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", attention(q, q, q, {.mode = local_m(0)})); // <- here
#else
  g.output("y", attention(q, q, q, {.mode = local_m(1)}));
#endif
});
