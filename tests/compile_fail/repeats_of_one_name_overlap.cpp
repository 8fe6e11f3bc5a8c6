// expect: {file}:{line}: parameter "h.*.w.weight" is made twice, first at {file}:11; to share it, keep the expr of the
//         first and use it again; for one more, give it another name, as in a scope(x, "layer", i) [F0022]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  x = repeat("h", 2, x, [](expr z) { return linear(z, "w", 768); });
#ifdef ILL_FORMED
  expr y = repeat("h", 2, x, [](expr z) { return linear(z, "w", 768); }, {.first = 1}); // <- here
#else
  expr y = repeat("h", 2, x, [](expr z) { return linear(z, "w", 768); }, {.first = 2});
#endif
  g.output("y", y);
});
