// expect: {file}:{line}: repeat "h": the body takes an expr and gives an expr [F0195]
#include <fovea/dsl.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto m = fovea::model("m", [](fovea::graph& g) {
  using namespace fovea;
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", repeat("h", 3, x, [](expr y) { return std::array{y, tanh(y)}; })); // <- here
#else
  g.output("y", repeat("h", 3, x, [](expr y) { return tanh(y); }));
#endif
});
