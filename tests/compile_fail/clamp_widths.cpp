// expect: {file}:{line}: clamp: [B, T, 8] and its bound [B, T, 7] do not broadcast [F0067]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
  expr most = linear(x, "most", 7);
#ifdef ILL_FORMED
  expr y = clamp(x, 0, most); // <- here
#else
  expr y = clamp(x, 0, linear(most, "wide", 8));
#endif
  g.output("y", y);
});
