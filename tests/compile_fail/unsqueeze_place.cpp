// expect: {file}:{line}: unsqueeze: there is no place 4 in [B, T, 768]; its places are 0 to 3 [F0080]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = unsqueeze(x, 4); // <- here
#else
  expr y = unsqueeze(x, 3);
#endif
  g.output("y", y);
});
