// expect: {file}:{line}: the compiler runs a declaration, and cannot run this one: where no error stands
//         above, it calls a function that is not constexpr, reads a value that is known only when the program
//         runs, or takes a name from a buffer of its own
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
