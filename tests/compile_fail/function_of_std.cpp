// expect-own: exp
// behind: __type
// behind: the model that ends here has no output: mend the errors above
// behind: the compiler cannot run this declaration
// lines: 60: the standard library lists every std::exp
#include <cmath>

#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", std::exp(x)); // <- here
#else
  g.output("y", exp(x));
#endif
});
