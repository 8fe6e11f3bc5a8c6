// expect: {file}:{line}: scan: the state before the first step is an expr or an array of them, such as
//         zeros(x, {B, 64}) [F0190]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", scan(x, 0.0, [](expr v, expr s) { return scan_step{v, s + v}; })); // <- here
#else
  g.output("y", scan(x, zeros(x, {B, 8}), [](expr v, expr s) { return scan_step{v, s + v}; }));
#endif
});
