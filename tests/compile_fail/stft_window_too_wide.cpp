// expect: {file}:{line}: stft: expected a .hop of at least 1 and a .width of 2 to 400, found 160 and 512 [F0376]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T});
#ifdef ILL_FORMED
  expr y = stft(x, {.size = 400, .hop = 160, .width = 512}).real; // <- here
#else
  expr y = stft(x, {.size = 512, .hop = 160, .width = 400}).real;
#endif
  g.output("y", y);
});
