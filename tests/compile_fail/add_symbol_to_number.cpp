// expect: {file}:{line}: cannot add [B, T, 768] and [B, 512, 768]: the last axis but one is T and 512; a
//         size known only at run time fits itself and 1 [F0058]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 768});
  expr b = g.input<f32>("b", {B, 512, 768});
#ifdef ILL_FORMED
  expr y = a + b; // <- here
#else
  expr y = a + mean(b, axis(1), {.keep = true});
#endif
  g.output("y", y);
});
