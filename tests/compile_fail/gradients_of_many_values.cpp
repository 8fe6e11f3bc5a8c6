// expect: {file}:{line}: repeat: its gradient carries 41 values, at most 32; it uses too many values of
//         outside [F0268]
#include <fovea/dsl.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

#ifdef ILL_FORMED
inline constexpr int values = 40;
#else
inline constexpr int values = 4;
#endif

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = linear(g.input<f32>("x", {B, 8}), "a", 8);
  expr scales[values] = {};
  for (int i = 0; i < values; ++i) scales[i] = exp(x * (i + 1.0));
  g.output("y", repeat("h", 2, x, [&](expr y) { // <- here
             for (const expr scale : scales) y = y * scale;
             return y;
           }));
});

[[maybe_unused]] inline constexpr auto learned = gradients(m);
