// expect: {file}:{line}: resample: the rates are as 44101 to 16000, expected at most 1024 each; round one of them [F0383]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T});
#ifdef ILL_FORMED
  expr y = resample(x, {.from = 44101, .to = 16000}); // <- here
#else
  expr y = resample(x, {.from = 44100, .to = 16000});
#endif
  g.output("y", y);
});
