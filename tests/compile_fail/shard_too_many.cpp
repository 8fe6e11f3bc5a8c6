// expect: {file}:{line}: shard: expected at least as many layers of repeats as stages, 4; found 3 [F0341]
#include <fovea/dsl.hpp>
#include <fovea/dsl/passes/shard.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 8});
#ifdef ILL_FORMED
  constexpr int layers = 3;
#else
  constexpr int layers = 4;
#endif
  g.output("y", repeat("h", layers, x, [](expr y) { return linear(y, "map", 8); })); // <- here
});

inline constexpr auto stages = shard<4>(m);
