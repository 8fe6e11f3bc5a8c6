// expect: {file}:{line}: scan: the body gives a number as its output; expected an expr, or an array of them,
//         such as constant(x, 0) [F0187]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", scan(x, zeros(x, {B, 8}), [](expr v, expr s) { return scan_step{1.0, s + v}; })); // <- here
#else
  g.output("y", scan(x, zeros(x, {B, 8}), [](expr v, expr s) { return scan_step{v, s + v}; }));
#endif
});
