// expect: {file}:{line}: attention: 3 heads do not divide the 8 features of the query [B, T, 8]; 2 heads or
//         9 features would fit [F0143]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto encoder = fovea::model("encoder", [](fovea::graph& g) {
  const fovea::expr x = g.input<fovea::f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", fovea::attention(x, x, x, {.heads = 3})); // <- here
#else
  g.output("y", fovea::attention(x, x, x, {.heads = 2}));
#endif
});

float run(const fovea::model_weights& weights, const xt::xtensor<float, 3>& x) {
  using namespace fovea;
  auto net = compile(encoder, weights, {.capacity = {{B, 1}, {T, 8}}});
  auto out = net("x"_in = x);
  [[maybe_unused]] auto y = out["y"_out];
  return 0;
}
