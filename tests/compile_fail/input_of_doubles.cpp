// expect: {file}:{line}: input "x": expected f32 or i32 as the type of its elements [F0217]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
#ifdef ILL_FORMED
  expr y = g.input<double>("x", {B, T}); // <- here
#else
  expr y = g.input<f32>("x", {B, T});
#endif
  g.output("y", y);
});
