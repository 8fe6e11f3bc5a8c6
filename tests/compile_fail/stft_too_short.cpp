// expect: {file}:{line}: stft: expected at least 201 samples, found [B, 160] [F0378]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 160});
#ifdef ILL_FORMED
  expr y = stft(x, {.size = 400, .hop = 160}).real; // <- here
#else
  expr y = stft(x, {.size = 160, .hop = 40}).real;
#endif
  g.output("y", y);
});
