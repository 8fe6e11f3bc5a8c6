// expect: {file}:{line}: matmul: cannot be streamed along T: attentions of different masks read it; compute it for
//         each of them [F0244]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  const expr scores = matmul(x, transpose(x)), others = scores; // <- here
#else
  const expr scores = matmul(x, transpose(x)), others = matmul(x, transpose(x));
#endif
  g.output("y", attend(scores, x, {.mask = causal}) + attend(others, x, {.mask = window(3)}));
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
