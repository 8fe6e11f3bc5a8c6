// expect: {file}:{line}: stft: expected a .size of 2 to 4096, found 8192 [F0375]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T});
#ifdef ILL_FORMED
  expr y = stft(x, {.size = 8192, .hop = 160}).real; // <- here
#else
  expr y = stft(x, {.size = 4096, .hop = 160}).real;
#endif
  g.output("y", y);
});
