// expect: {file}:{line}: gather: the ids [9] are 0 to 8, and the table [5, 64] has 5 rows [F0053]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = gather(parameter(x, "table", {5, 64}), range(x, 9)); // <- here
#else
  expr y = gather(parameter(x, "table", {9, 64}), range(x, 9));
#endif
  g.output("y", y);
});
