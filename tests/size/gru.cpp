// What a small stream links whose weights are in the program.

#include <cstdio>
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};
inline constexpr auto reader = model("reader", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 16});
  g.output("y", gru(x, "rnn", 16));
});

weight_tensor filled(std::vector<std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t size : shape) count *= size;
  return {shape, std::vector<float>(count, 0.1f)};
}

int main() {
  const auto weights = model_weights::from({{"rnn.weight_ih_l0", filled({48, 16})},
                                            {"rnn.weight_hh_l0", filled({48, 16})},
                                            {"rnn.bias_ih_l0", filled({48})},
                                            {"rnn.bias_hh_l0", filled({48})}});
  auto live = stream<T>(reader, weights, {.capacity = {{B, 1}, {T, 1}}});
  const xt::xtensor<float, 3> x = xt::ones<float>({1, 1, 16});
  auto out = live.step("x"_in = x);
  std::printf("%g\n", static_cast<double>(out["y"_out](0, 0, 0)));
}
