// expect: {file}:{line}: attention: cannot be streamed along T: a query may see any later key; join its mask with causal
//         or window [F0250]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", attention(x, x, x, {.mask = attention_mask([](scalar, scalar k) { return k >= 2; })})); // <- here
#else
  g.output("y", attention(x, x, x, {.mask = causal & attention_mask([](scalar, scalar k) { return k >= 2; })}));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
