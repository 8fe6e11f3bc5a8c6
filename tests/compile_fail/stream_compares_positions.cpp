// expect: {file}:{line}: >=: cannot be streamed along T: it compares positions with positions; let attention or
//         attend weigh them, with a causal mask [F0242]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8}), p = range(x, T);
#ifdef ILL_FORMED
  const expr seen = unsqueeze(p, 1) >= unsqueeze(p, 0); // <- here
  g.output("y", softmax(where(seen, matmul(x, transpose(x)), -1e9)));
#else
  g.output("y", attention(x, x, x, {.mask = attention_mask([](scalar q, scalar k) { return q >= k; })}) + unsqueeze(to_float(p), 1));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
