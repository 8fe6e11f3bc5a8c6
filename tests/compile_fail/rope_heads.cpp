// expect: {file}:{line}: rope: 5 heads do not divide the 768 features of [B, T, 768] [F0131]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = rope(x, {.heads = 5}); // <- here
#else
  expr y = rope(x, {.heads = 6});
#endif
  g.output("y", y);
});
