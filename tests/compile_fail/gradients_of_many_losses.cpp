// expect: {file}:{line}: output "loss": expected one float32 number, found float32 [B] [F0273]
#include <fovea/dsl.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = linear(g.input<f32>("x", {B, 8}), "a", 4);
#ifdef ILL_FORMED
  g.output("loss", mean(x * x, axis(1))); // <- here
#else
  g.output("loss", mean(mean(x * x, axis(1)), axis(0)));
#endif
});

[[maybe_unused]] inline constexpr auto learned = gradients(m);
