// expect: {file}:{line}: stft: expected a waveform [..., samples] of 1 to 5 axes, found [] [F0377]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T});
#ifdef ILL_FORMED
  expr y = stft(sum(sum(x, T), B)).real; // <- here
#else
  expr y = stft(x).real;
#endif
  g.output("y", y);
});
