// expect: a dim's name has 1 to 15 characters [F0231]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

inline constexpr auto m = model("m", [](graph& g) {
#ifdef ILL_FORMED
  expr y = g.input<f32>("x", {B, dim{"sequence_length_"}}); // <- here
#else
  expr y = g.input<f32>("x", {B, dim{"sequence_length"}});
#endif
  g.output("y", y);
});
