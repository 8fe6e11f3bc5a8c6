// expect: {file}:{line}: the compiler runs a declaration, and cannot run this one: where no error stands
//         above, it calls a function that is not constexpr, reads a value that is known only when the program
//         runs, or takes a name from a buffer of its own
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline expr kept;

inline constexpr auto m = model("m", [](graph& g) { // <- here
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  kept = x;
  g.output("y", linear(kept, "a", 8));
#else
  const expr kept_here = x;
  g.output("y", linear(kept_here, "a", 8));
#endif
});
