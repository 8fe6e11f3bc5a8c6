// expect: {file}:{line}: floor: passes no gradient, and the output "loss" depends on no parameter in another
//         way [F0271]
#include <fovea/dsl.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = linear(g.input<f32>("x", {B, 8}), "a", 4);
#ifdef ILL_FORMED
  const expr whole = floor(x); // <- here
#else
  const expr whole = floor(x) - x;
#endif
  g.output("loss", mean(mean(whole, axis(1)), axis(0)));
});

[[maybe_unused]] inline constexpr auto learned = gradients(m);
