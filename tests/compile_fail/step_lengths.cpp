// expect: {file}:{line}: the lengths of rows are of another type; expected std::vector<std::size_t> or another span of std::size_t
//         [F0293]
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
  live.step(std::vector<int>{1, 2}, "x"_in = x)["y"_out]; // <- here
#else
  live.step(std::vector<std::size_t>{1, 2}, "x"_in = x)["y"_out];
#endif
}
