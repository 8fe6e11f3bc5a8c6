// expect: {file}:{line}: matmul: cannot multiply [B, T, 512] by [768, 768]: the inner sizes are 512 and 768;
//         they must be equal [F0049]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr shared = parameter(x, "shared", {768, 768});
#ifdef ILL_FORMED
  expr y = matmul(linear(x, "down", 512), shared); // <- here
#else
  expr y = matmul(linear(x, "same", 768), shared);
#endif
  g.output("y", y);
});
