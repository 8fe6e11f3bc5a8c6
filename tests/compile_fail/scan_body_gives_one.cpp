// expect: {file}:{line}: scan: the body takes (x, state) of a step and gives scan_step{output, next state} [F0189]
#include <fovea/dsl.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto cell = fovea::model("cell", [](fovea::graph& g) {
  using namespace fovea;
  const expr x = g.input<f32>("x", {B, T, 8}), none = zeros(x, {B, 8});
#ifdef ILL_FORMED
  g.output("y", scan(x, none, [](expr now, expr h) { return tanh(now + h); })); // <- here
#else
  g.output("y", scan(x, none, [](expr now, expr h) { return scan_step{h, tanh(now + h)}; }));
#endif
});
