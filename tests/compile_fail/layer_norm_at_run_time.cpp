// expect: {file}:{line}: layer_norm "ln_1": the axis T of [B, T] is known only at run time; expected a
//         number of features [F0102]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T});
#ifdef ILL_FORMED
  expr y = layer_norm(x, "ln_1"); // <- here
#else
  expr y = layer_norm(unsqueeze(x, -1), "ln_1");
#endif
  g.output("y", y);
});
