// expect: {file}:{line}: cross_entropy: cannot be streamed along T: a loss is of all positions; stream a model without
//         it, over the same body [F0230]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  const expr targets = g.input<i32>("targets", {B, T});
  g.output("y", x);
  g.output("targets", targets);
#ifdef ILL_FORMED
  g.output("loss", cross_entropy(x, targets)); // <- here
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x, const xt::xtensor<int, 2>& targets) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  live.begin();
  [[maybe_unused]] auto y = live.step("x"_in = x, "targets"_in = targets)["y"_out];
}
