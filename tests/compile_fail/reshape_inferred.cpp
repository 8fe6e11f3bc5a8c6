// expect: {file}:{line}: cannot reshape [B, T, 64]: the 64*B*T elements are no multiple of 7*B, what the axes
//         beside -1 hold [F0076]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = reshape(x, {B, -1, 7}); // <- here
#else
  expr y = reshape(x, {B, -1, 8});
#endif
  g.output("y", y);
});
