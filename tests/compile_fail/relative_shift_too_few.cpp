// expect: {file}:{line}: relative_shift: expected [..., queries, distances] of at least as many distances as
//         queries, found [B, 5, 4] [F0393]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 5, 4});
#ifdef ILL_FORMED
  expr y = relative_shift(x); // <- here
#else
  expr y = relative_shift(transpose(x));
#endif
  g.output("y", y);
});
