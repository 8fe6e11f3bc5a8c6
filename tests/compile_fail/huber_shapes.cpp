// expect: {file}:{line}: huber: cannot compare [B, T, 8] and [B, T, 1]; their shapes must be equal [F0203]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = huber(x, linear(x, "out", 1)); // <- here
#else
  expr y = huber(x, linear(x, "out", 8));
#endif
  g.output("y", y);
});
