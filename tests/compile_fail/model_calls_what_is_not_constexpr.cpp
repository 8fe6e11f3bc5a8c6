// expect: {file}:{line}: the compiler runs a declaration, and cannot run this one: where no error stands
//         above, it calls a function that is not constexpr, reads a value that is known only when the program
//         runs, or takes a name from a buffer of its own
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
