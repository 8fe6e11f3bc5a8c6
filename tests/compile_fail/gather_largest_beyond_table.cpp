// expect: {file}:{line}: gather: the ids [B, T] are 0 to 63, and the table [32, 8] has 32 rows [F0053]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = gather(parameter(x, "table", {32, 8}), argmax(x, axis(-1))); // <- here
#else
  expr y = gather(parameter(x, "table", {64, 8}), argmax(x, axis(-1)));
#endif
  g.output("y", y);
});
