// expect: {file}:{line}: tanh: an operand from {file}:12 belongs to the body of a repeat or scan and cannot be
//         used outside it; return it from the body [F0006]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr inside;
  const auto y = scan(g.input<f32>("x", {B, T, 4}), g.input<f32>("h", {B, 4}), [&](expr x, expr h) {
    inside = x + h;
    return scan_step{inside, inside};
  });
#ifdef ILL_FORMED
  g.output("y", tanh(inside)); // <- here
#else
  g.output("y", tanh(y));
#endif
});
