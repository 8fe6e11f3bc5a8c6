// expect: {file}:{line}: stack_states: expected 1 to 32 states, found 0 [F0183]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = stack_states(lstm(x, "r", 16).state.hidden, 0); // <- here
#else
  expr y = stack_states(lstm(x, "r", 16).state.hidden, 1);
#endif
  g.output("y", y);
});
