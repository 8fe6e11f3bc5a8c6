// expect: {file}:{line}: attention: expected a finite scale, found not a number [F0159]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.scale = __builtin_nan("")}); // <- here
#else
  expr y = attention(x, x, x, {.scale = 0.1});
#endif
  g.output("y", y);
});
