// expect: {file}:{line}: relu: a model has at most 4096 nodes [F0007]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr y = g.input<f32>("x", {B, T, 768});
  for (int i = 0; i < 4095; ++i) y = relu(y);
#ifdef ILL_FORMED
  y = relu(y); // <- here
#endif
  g.output("y", y);
});
