// expect: {file}:{line}: mel_filters: expected a .low of at least 0, and a .high above it of at most 4000, half of the rate; found
//         0 and 8000 [F0381]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T});
#ifdef ILL_FORMED
  expr y = x; mel_filters(x, 201, {.rate = 8000, .high = 8000}); // <- here
#else
  expr y = x; mel_filters(x, 201, {.rate = 16000, .high = 8000});
#endif
  g.output("y", y);
});
