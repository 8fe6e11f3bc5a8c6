// expect: {file}:{line}: max_pool: expected a padding of a number, same, valid or causal, found circular,
//         which is for convolutions [F0111]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = max_pool(x, 3, {.stride = 1, .padding = circular}); // <- here
#else
  expr y = max_pool(x, 3, {.stride = 1, .padding = same});
#endif
  g.output("y", y);
});
