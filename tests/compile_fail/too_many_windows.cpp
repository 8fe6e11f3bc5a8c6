// expect: {file}:{line}: max_pool: a model has at most 64 different windows of convolution and pooling [F0021]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  for (int i = 1; i < 100; ++i) x = max_pool(x, i, {.stride = 1, .padding = causal}); // <- here
#else
  for (int i = 1; i < 64; ++i) x = max_pool(x, i, {.stride = 1, .padding = causal});
#endif
  g.output("y", x);
});
