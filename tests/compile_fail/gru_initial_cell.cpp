// expect: {file}:{line}: gru "r": takes one state for each layer, found a .cell [B, 16] [F0179]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = gru(x, "r", 16, {.initial = states_of(zeros(x, {1, B, 16}), zeros(x, {1, B, 16}))}); // <- here
#else
  expr y = gru(x, "r", 16, {.initial = states_of(zeros(x, {1, B, 16}))});
#endif
  g.output("y", y);
});
