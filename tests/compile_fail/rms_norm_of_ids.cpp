// expect: {file}:{line}: rms_norm "norm": expected float32, found int32 [B, T]; use to_float, or embedding
//         for ids [F0043]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr ids = g.input<i32>("ids", {B, T});
#ifdef ILL_FORMED
  expr y = rms_norm(ids, "norm"); // <- here
#else
  expr y = rms_norm(embedding(ids, "tokens", 1000, 64), "norm");
#endif
  g.output("y", y);
});
