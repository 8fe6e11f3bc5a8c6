// expect: {file}:{line}: dropout: expected float32, found int32 [B, T] [F0063]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr ids = g.input<i32>("ids", {B, T});
#ifdef ILL_FORMED
  expr y = dropout(ids, 0); // <- here
#else
  expr y = dropout(to_float(ids), 0);
#endif
  g.output("y", y);
});
