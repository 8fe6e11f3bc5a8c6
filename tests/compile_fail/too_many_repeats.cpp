// expect: {file}:{line}: repeat "h": a model has at most 127 repeats and scans [F0198]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  for (int i = 0; i < 200; ++i) x = repeat("h", 2, x, [](expr y) { return relu(y); }); // <- here
#else
  for (int i = 0; i < 20; ++i) x = repeat("h", 2, x, [](expr y) { return relu(y); });
#endif
  g.output("y", x);
});
