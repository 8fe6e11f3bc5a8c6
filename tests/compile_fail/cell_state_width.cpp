// expect: {file}:{line}: gru "cell": expected a state of 5 features, found [B, T, 8] [F0181]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr q = g.input<f32>("q", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", gru.step(q, {q}, "cell", 5)[0]); // <- here
#else
  g.output("y", gru.step(q, {q}, "cell", 8)[0]);
#endif
});
