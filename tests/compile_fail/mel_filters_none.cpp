// expect: {file}:{line}: mel_filters: expected at least 2 bins and 1 of .mels, found 201 and 0 [F0380]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T});
#ifdef ILL_FORMED
  expr y = x; mel_filters(x, 201, {.mels = 0}); // <- here
#else
  expr y = x; mel_filters(x, 201, {.mels = 80});
#endif
  g.output("y", y);
});
