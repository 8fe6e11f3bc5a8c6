// expect: {file}:{line}: attention: expected [batch, positions, features] or [positions, features], found
//         query [768], key [768] and value [768] [F0151]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {768});
#ifdef ILL_FORMED
  expr y = attention(x, x, x); // <- here
#else
  expr y = attention(unsqueeze(x, 0), unsqueeze(x, 0), unsqueeze(x, 0));
#endif
  g.output("y", y);
});
