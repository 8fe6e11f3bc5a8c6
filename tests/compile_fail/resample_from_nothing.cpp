// expect: {file}:{line}: resample: expected .from, .to and .crossings of at least 1, and a .roll_off above 0 of at most 1; found
//         0, 16000, 6 and 0.99 [F0382]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T});
#ifdef ILL_FORMED
  expr y = resample(x, {.to = 16000}); // <- here
#else
  expr y = resample(x, {.from = 48000, .to = 16000});
#endif
  g.output("y", y);
});
