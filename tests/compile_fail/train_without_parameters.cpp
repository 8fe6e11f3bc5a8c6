// expect: {file}:{line}: output "loss": depends on no parameter [F0272]
#include <fovea/dsl.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 8});
#ifdef ILL_FORMED
  const expr y = x * x;
#else
  const expr y = linear(x, "a", 4);
#endif
  g.output("loss", mean(mean(y, axis(1)), axis(0))); // <- here
});

[[maybe_unused]] inline constexpr auto learned = gradients(m);
