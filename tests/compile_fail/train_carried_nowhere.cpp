// expect: train: the output "new.memory" is carried on into an input "memory", and there is none; the inputs are "x",
//         "state" [F0317]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4}), before = g.input<f32>("state", {B, 4});
  const auto y = scan(linear(x, "in", 4), before, [](expr now, expr s) {
    const expr next = tanh(now + s);
    return scan_step{next, next};
  });
#ifdef ILL_FORMED
  g.output("new.memory", y.state);
#else
  g.output("new.state", y.state);
#endif
  g.output("loss", mse(y.output, x));
});

void run(const model_weights& start) {
  auto fit = train(m, sgd{}, start, {.capacity = {{B, 1}, {T, 8}}}); // <- here
  fit.step("x"_in = xt::xtensor<float, 3>{{{1, 2, 3, 4}}});
}
