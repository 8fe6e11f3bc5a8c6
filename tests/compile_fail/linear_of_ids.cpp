// expect: {file}:{line}: linear "q": expected float32, found int32 [B, T]; use to_float, or embedding for
//         ids [F0043]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr ids = g.input<i32>("ids", {B, T});
#ifdef ILL_FORMED
  expr y = linear(ids, "q", 64); // <- here
#else
  expr y = linear(embedding(ids, "tokens", 1000, 64), "q", 64);
#endif
  g.output("y", y);
});
