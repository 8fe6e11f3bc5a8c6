// expect: {file}:{line}: avg_pool: expected a padding below the window of 2, found 2; a window must see
//         something [F0107]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = avg_pool(x, 2, {.padding = 2}); // <- here
#else
  expr y = avg_pool(x, 2, {.padding = 1});
#endif
  g.output("y", y);
});
