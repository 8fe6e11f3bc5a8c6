// expect: {file}:{line}: softmax: there is no axis S in [B, T, 768] [F0074]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = softmax(x, S); // <- here
#else
  expr y = softmax(x, T);
#endif
  g.output("y", y);
});
