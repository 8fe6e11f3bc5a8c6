// expect: {file}:{line}: the compiler cannot run this declaration: a function that it calls lacks constexpr, or a
//         value that it reads is known only when the program runs; mend the errors above first, if any [F0286]
// behind: called in a constant expression
// behind: is not usable in a constant expression
// lines: 13: g++ 14 says twice where the model is declared
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline int width = 8;
inline constexpr int constant_width = 8;

inline constexpr auto m = model("m", [](graph& g) { // <- here
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", linear(x, "a", width));
#else
  g.output("y", linear(x, "a", constant_width));
#endif
});
