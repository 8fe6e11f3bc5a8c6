// expect: {file}:{line}: parameter "wte" is made twice, here [512] and [1000, 768] at {file}:11; a shared
//         parameter is one expr of one shape [F0023]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr wte = parameter(x, "wte", {1000, 768});
#ifdef ILL_FORMED
  expr y = linear(x, "down", 512) + parameter(x, "wte", {512}); // <- here
#else
  expr y = matmul(x, transpose(wte));
#endif
  g.output("y", y);
  g.output("wte", wte);
});
