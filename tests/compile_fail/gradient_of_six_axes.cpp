// expect: {file}:{line}: *: its gradient needs one axis more than the 6 that there are [F0265]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = repeat("h", 2, g.input<f32>("x", {B, 2, 2, 2, 2, 2}), [](expr y) {
    const expr scale = parameter(y, "scale", {2});
#ifdef ILL_FORMED
    const expr z = y * scale; // <- here
    return z * z;
#else
    return y + scale;
#endif
  });
  g.output("y", x);
});

inline constexpr auto learned = gradients(m);
