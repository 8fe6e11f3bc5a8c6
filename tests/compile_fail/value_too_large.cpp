// expect: {file}:{line}: matmul: [2000000000, 2000000000] has more than 1099511627776 elements [F0038]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = matmul(broadcast(constant(x, 1), {2000000000, 1}), broadcast(constant(x, 1), {1, 2000000000})); // <- here
#else
  expr y = matmul(broadcast(constant(x, 1), {2000, 1}), broadcast(constant(x, 1), {1, 2000}));
#endif
  g.output("y", y);
});
