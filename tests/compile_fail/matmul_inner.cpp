// expect: {file}:{line}: matmul: cannot multiply [B, T, 768] by [512, 768]: the inner sizes are 768 and 512;
//         transpose the right side [F0049]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 768});
  expr b = g.input<f32>("b", {512, 768});
#ifdef ILL_FORMED
  expr y = matmul(a, b); // <- here
#else
  expr y = matmul(linear(a, "down", 512), b);
#endif
  g.output("y", y);
});
