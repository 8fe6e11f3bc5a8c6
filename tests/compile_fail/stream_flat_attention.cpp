// expect: {file}:{line}: attention: cannot be streamed along T: its positions share an axis with others; reshape them
//         to an axis of their own [F0247]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8}), flat = reshape(x, {B * T, 8});
#ifdef ILL_FORMED
  const expr y = attention(flat, flat, flat, {.mask = causal}); // <- here
#else
  const expr y = attention(x, x, x, {.mask = causal}) + reshape(flat, {B, T, 8});
#endif
  g.output("y", reshape(y, {B, T, 8}));
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
