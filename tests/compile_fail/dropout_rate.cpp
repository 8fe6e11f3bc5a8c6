// expect: {file}:{line}: dropout: expected a rate of at least 0 and below 1, found 1 [F0062]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = dropout(x, 1); // <- here
#else
  expr y = dropout(x, 0.1);
#endif
  g.output("y", y);
});
