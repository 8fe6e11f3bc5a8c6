// expect: {file}:{line}: in "h.*": tensor_parallel<2>: attention has 3 heads; expected a multiple of 2 [F0349]
#include <fovea/dsl.hpp>
#include <fovea/dsl/passes/tensor_parallel.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 12});
#ifdef ILL_FORMED
  constexpr int heads = 3;
#else
  constexpr int heads = 4;
#endif
  g.output("y", repeat("h", 2, x, [](expr y) {
             const expr q = linear(y, "q", 12), k = linear(y, "k", 12), v = linear(y, "v", 12);
             return y + linear(attention(q, k, v, {.heads = heads}), "proj", 12); // <- here
           }));
});

inline constexpr auto part = tensor_parallel<2>(m);
