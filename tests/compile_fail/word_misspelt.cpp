// expect-own: lin
// behind: the model that ends here has no output: mend the errors above
// behind: the compiler cannot run this declaration
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", lin(x, "a", 8)); // <- here
#else
  g.output("y", linear(x, "a", 8));
#endif
});
