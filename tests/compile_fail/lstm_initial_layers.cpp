// expect: {file}:{line}: lstm "decoder": expected initial states for 1 layers and directions, found 2 [F0178]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  const auto encoded = lstm(g.input<f32>("x", {B, S, 4}), "encoder", 8, {.layers = 2});
  const expr y = g.input<f32>("y", {B, T, 4});
#ifdef ILL_FORMED
  g.output("y", lstm(y, "decoder", 8, {.initial = encoded.state})); // <- here
#else
  g.output("y", lstm(y, "decoder", 8, {.layers = 2, .initial = encoded.state}));
#endif
});
