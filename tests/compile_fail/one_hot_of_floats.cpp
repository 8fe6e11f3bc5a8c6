// expect: {file}:{line}: one_hot: expected int32 ids, found float32 [B, T, 8] [F0082]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = one_hot(x, 4); // <- here
#else
  expr y = one_hot(argmax(x, -1), 4);
#endif
  g.output("y", y);
});
