// expect: {file}:{line}: the outputs are views of what is called, which ends here; keep it: auto net = compile(...); auto outputs = net(...);
//         [F0288]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto doubled = fovea::model("doubled", [](fovea::graph& g) {
  g.output("y", 2 * g.input<fovea::f32>("x", {B, T}));
});

void run(const fovea::model_weights& weights, const xt::xtensor<float, 2>& x) {
  using namespace fovea;
#ifdef ILL_FORMED
  compile(doubled, weights, {.capacity = {{B, 1}, {T, 8}}})("x"_in = x)["y"_out]; // <- here
#else
  auto net = compile(doubled, weights, {.capacity = {{B, 1}, {T, 8}}});
  net("x"_in = x)["y"_out];
#endif
}
