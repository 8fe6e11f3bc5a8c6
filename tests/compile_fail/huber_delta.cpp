// expect: {file}:{line}: huber: expected a finite delta above 0, found 0 [F0208]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = huber(x, tanh(x), {.delta = 0}); // <- here
#else
  expr y = huber(x, tanh(x), {.delta = 1});
#endif
  g.output("y", y);
});
