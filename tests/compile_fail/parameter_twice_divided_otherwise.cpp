// expect: {file}:{line}: parameter "a.b.weight" is made twice, first at {file}:14; to share it, keep the expr of the
//         first and use it again; for one more, give it another name, as in a scope(x, "layer", i) [F0022]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr y = x;
  {
    auto s = scope(x, "a");
    y = y * parameter(x, "b.weight", {768});
  }
  auto s = scope(x, "a.b");
#ifdef ILL_FORMED
  y = y * parameter(x, "weight", {768}); // <- here
#else
  y = y * parameter(x, "gain", {768});
#endif
  g.output("y", y);
});
