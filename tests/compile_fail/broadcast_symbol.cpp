// expect: {file}:{line}: cannot broadcast [B, T, 768] to [B, S, 768]: only axes of 1 and missing leading
//         axes stretch [F0087]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  g.output("z", g.input<f32>("z", {S}));
#ifdef ILL_FORMED
  expr y = broadcast(x, {B, S, 768}); // <- here
#else
  expr y = broadcast(mean(x, T, {.keep = true}), {B, S, 768});
#endif
  g.output("y", y);
});
