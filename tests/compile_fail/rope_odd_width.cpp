// expect: {file}:{line}: rope: expected an even number of at most 9 features of a head to turn, found 9 [F0133]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 36});
#ifdef ILL_FORMED
  expr y = rope(x, {.heads = 4}); // <- here
#else
  expr y = rope(x, {.heads = 3});
#endif
  g.output("y", y);
});
