// expect: train: the output "new.state" float32 [B, T, 4] is carried on into the input "state" float32 [B, 4];
//         expected both to be float32 and of one shape [F0316]
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
  g.output("new.state", y.output);
#else
  g.output("new.state", y.state);
#endif
  g.output("loss", mse(y.output, x));
});

void run(const model_weights& start) {
  auto fit = train(m, sgd{}, start, {.capacity = {{B, 1}, {T, 8}}}); // <- here
  fit.step("x"_in = xt::xtensor<float, 3>{{{1, 2, 3, 4}}});
}
