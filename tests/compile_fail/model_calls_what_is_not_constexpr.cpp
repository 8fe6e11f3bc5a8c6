// expect: {file}:{line}: the compiler cannot run this declaration: a function that it calls lacks constexpr, or a
//         value that it reads is known only when the program runs; mend the errors above first, if any [F0286]
// behind: called in a constant expression
// behind: call to non-
// lines: 13: g++ 14 says twice where the model is declared
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline expr block(expr x) { return x + linear(x, "a", 8); }
constexpr expr constant_block(expr x) { return x + linear(x, "a", 8); }

inline constexpr auto m = model("m", [](graph& g) { // <- here
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", block(x));
#else
  g.output("y", constant_block(x));
#endif
});
