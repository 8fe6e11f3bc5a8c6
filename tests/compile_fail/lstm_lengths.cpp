// expect: {file}:{line}: lstm "rnn": expected .lengths as int32 [B], found float32 [B] [F0399]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4});
#ifdef ILL_FORMED
  g.output("y", lstm(x, "rnn", 8, {.lengths = g.input<f32>("lengths", {B})})); // <- here
#else
  g.output("y", lstm(x, "rnn", 8, {.lengths = g.input<i32>("lengths", {B})}));
#endif
});
