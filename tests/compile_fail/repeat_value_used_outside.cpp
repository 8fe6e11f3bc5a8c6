// expect: {file}:{line}: +: an operand from {file}:12 belongs to the body of a repeat or scan and cannot
//         be used outside it; return it from the body [F0006]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr kept = x;
  x = repeat("h", 12, x, [&kept](expr z) { return kept = linear(z, "w", 768); });
#ifdef ILL_FORMED
  expr y = x + kept; // <- here
#else
  expr y = x + x;
#endif
  g.output("y", y);
});
