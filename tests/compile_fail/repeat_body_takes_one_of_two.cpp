// expect: {file}:{line}: repeat "h": the body takes an array of 2 exprs and gives one [F0196]
#include <fovea/dsl.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto m = fovea::model("m", [](fovea::graph& g) {
  using namespace fovea;
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  const auto [a, b] = repeat("h", 3, std::array{x, x}, [](expr y) { return tanh(y); }); // <- here
#else
  const auto [a, b] = repeat("h", 3, std::array{x, x}, [](std::array<expr, 2> y) { return std::array{y[1], y[0]}; });
#endif
  g.output("y", a + b);
});
