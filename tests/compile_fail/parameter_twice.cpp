// expect: {file}:{line}: parameter "q.weight" is made twice, first at {file}:11; to share it, keep the expr of the
//         first and use it again; for one more, give it another name, as in a scope(x, "layer", i) [F0022]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  x = linear(x, "q", 768);
#ifdef ILL_FORMED
  expr y = linear(x, "q", 768); // <- here
#else
  expr y = linear(x, "k", 768);
#endif
  g.output("y", y);
});
