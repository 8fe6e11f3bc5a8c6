// expect-own: attention
// behind: the model that ends here has no output: mend the errors above
// behind: the compiler cannot run this declaration
// lines: 16: g++ lists every attention
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", attention(x, x, x, {.head = 4})); // <- here
#else
  g.output("y", attention(x, x, x, {.heads = 4}));
#endif
});
