// expect: {file}:{line}: gather: expected int32 ids, found float32 [B, T, 768] [F0051]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr table = parameter(x, "table", {1000, 64});
#ifdef ILL_FORMED
  expr y = gather(table, x); // <- here
#else
  expr y = gather(table, argmax(x, axis(-1)));
#endif
  g.output("y", y);
});
