// expect: {file}:{line}: no output comes of the model that ends here; where no error stands above, declare
//         one with g.output("name", value)
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
