// expect: {file}:{line}: the model that ends here has no output: mend the errors above, if any, or declare one with
//         g.output("name", value) [F0033]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
#ifdef ILL_FORMED
  expr x = g.input<f32>("x", {B, T}); relu(x); // <- here
#else
  expr x = g.input<f32>("x", {B, T});
  g.output("y", relu(x));
#endif
});
