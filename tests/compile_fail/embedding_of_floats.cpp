// expect: {file}:{line}: embedding "tokens": expected int32 ids, found float32 [B, T, 768] [F0055]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = embedding(x, "tokens", 1000, 64); // <- here
#else
  expr y = embedding(argmax(x, axis(-1)), "tokens", 1000, 64);
#endif
  g.output("y", y);
});
