// expect: {file}:{line}: last_attention_map: no attention has been declared before [F0172]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {1, 4, 8});
#ifdef ILL_FORMED
  g.output("map", last_attention_map(x)); // <- here
#else
  g.output("map", last_attention_map(attention(x, x, x)));
#endif
});
