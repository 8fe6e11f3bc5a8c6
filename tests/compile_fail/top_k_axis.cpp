// expect: {file}:{line}: top_k takes the last axis; bring another to the end by permute [F0374]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 11});
#ifdef ILL_FORMED
  expr y = top_k(x, 2, -1).values; // <- here
#else
  expr y = top_k(x, 2).values;
#endif
  g.output("y", y);
});
