// expect: {file}:{line}: scan: the sequences [B, T, 4] and [B, S, 4] must have as many steps, found T and S [F0184]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  const std::array xs{g.input<f32>("x", {B, T, 4}), g.input<f32>("y", {B, S, 4})};
  const auto add = [](std::array<expr, 2> x, expr h) { return scan_step{h, h + x[0] + x[1]}; };
  const expr h = g.input<f32>("h", {B, 4});
#ifdef ILL_FORMED
  g.output("y", scan(xs, h, add)); // <- here
#else
  g.output("y", scan(std::array{xs[0], xs[0]}, h, add));
#endif
});
