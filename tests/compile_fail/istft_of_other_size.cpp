// expect: {file}:{line}: istft: expected real and imaginary parts [..., frames, 257], found [B, T/100 + 1, 201] and [B, T/100 + 1,
//         201] [F0379]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T});
#ifdef ILL_FORMED
  expr y = istft(stft(x), {.size = 512, .hop = 100}); // <- here
#else
  expr y = istft(stft(x), {.size = 400, .hop = 100});
#endif
  g.output("y", y);
});
