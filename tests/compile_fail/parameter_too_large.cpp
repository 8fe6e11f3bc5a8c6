// expect: {file}:{line}: parameter "words.weight": [2000000000, 2000000000] has more than 1099511627776 elements
//         [F0037]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = embedding(range(x, 4), "words", 2000000000, 2000000000); // <- here
#else
  expr y = embedding(range(x, 4), "words", 2000, 2000);
#endif
  g.output("y", y);
});
