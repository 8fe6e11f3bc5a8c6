// expect: {file}:{line}: reshape: at most one axis may be -1, found two [F0077]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = reshape(x, {B, -1, -1}); // <- here
#else
  expr y = reshape(x, {B, -1, 8});
#endif
  g.output("y", y);
});
