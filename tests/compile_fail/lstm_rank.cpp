// expect: {file}:{line}: lstm "rnn": expected [batch, time, features] or [time, features], found [4] [F0173]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {T, 4});
#ifdef ILL_FORMED
  g.output("y", lstm(mean(x, T), "rnn", 8)); // <- here
#else
  g.output("y", lstm(x, "rnn", 8));
#endif
});
