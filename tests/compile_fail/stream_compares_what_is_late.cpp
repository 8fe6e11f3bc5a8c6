// expect: {file}:{line}: matmul: cannot be streamed along T: what it compares comes behind something that looks
//         ahead; compare what is causal [F0262]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  const expr near = conv1d(x, "near", 8, 3, {.padding = 1});
#ifdef ILL_FORMED
  const expr scores = matmul(near, transpose(near)); // <- here
#else
  const expr scores = matmul(x, transpose(x));
#endif
  g.output("near", near);
  g.output("y", attention(x, x, x, {.mask = causal, .bias = unsqueeze(scores, 1)}));
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
