// expect: {file}:{line}: tensor_parallel: expected products with nothing between them but what works feature by feature or
//         head by head, as attention and what follows it; found none [F0348]
#include <fovea/dsl.hpp>
#include <fovea/dsl/passes/tensor_parallel.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = linear(g.input<f32>("x", {B, 8}), "in", 8);
#ifdef ILL_FORMED
  g.output("y", linear(layer_norm(x, "norm"), "out", 8)); // <- here
#else
  g.output("y", linear(relu(x), "out", 8));
#endif
});

inline constexpr auto part = tensor_parallel<2>(m);
