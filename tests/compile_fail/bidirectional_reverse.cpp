// expect: {file}:{line}: gru "rnn": a bidirectional recurrence runs in both directions; .reverse is for one [F0177]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4});
#ifdef ILL_FORMED
  g.output("y", bidirectional(gru, x, "rnn", 8, {.reverse = true})); // <- here
#else
  g.output("y", bidirectional(gru, x, "rnn", 8));
#endif
});
