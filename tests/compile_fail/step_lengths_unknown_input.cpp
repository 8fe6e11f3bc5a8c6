// expect: {file}:{line}: step: there is no input "y"; the inputs are "x" [F0307]
#include <fovea/fovea.hpp>

#include <vector>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto doubled = fovea::model("doubled", [](fovea::graph& g) {
  g.output("y", 2 * g.input<fovea::f32>("x", {B, T}));
});

void run(const fovea::model_weights& weights, const xt::xtensor<float, 2>& x) {
  using namespace fovea;
  auto live = stream<T>(doubled, weights, {.capacity = {{B, 2}, {T, 8}}});
#ifdef ILL_FORMED
  live.step(std::vector<std::size_t>{1, 2}, "y"_in = x)["y"_out]; // <- here
#else
  live.step(std::vector<std::size_t>{1, 2}, "x"_in = x)["y"_out];
#endif
}
