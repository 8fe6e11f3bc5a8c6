// expect: {file}:{line}: transpose: expected at least two axes, found [T] [F0047]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {T});
#ifdef ILL_FORMED
  expr y = transpose(x); // <- here
#else
  expr y = transpose(unsqueeze(x, 0));
#endif
  g.output("y", y);
});
