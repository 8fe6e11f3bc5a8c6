// expect: {file}:{line}: linear "head": the last axis of [B, T] is T, known only at run time; expected a
//         number of features [F0040]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T});
#ifdef ILL_FORMED
  expr y = linear(x, "head", 2); // <- here
#else
  expr y = linear(unsqueeze(x, -1), "head", 2);
#endif
  g.output("y", y);
});
