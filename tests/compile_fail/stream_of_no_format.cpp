// expect: {file}:{line}: a stream has weights in f32, f16, bf16, int8, q8_0, q4_0, q5_0, q4_k, q6_k, bf16_products, or
//         integer_products of int8, q8_0, q4_0, q4_k or q6_k [F0297]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4}), y = linear(x, "h", 4);
  g.output("y", y);
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
#ifdef ILL_FORMED
  auto live = stream<T, reference>(m, from, {.capacity = {{B, 1}, {T, 8}}}); // <- here
#else
  auto live = stream<T, bf16>(m, from, {.capacity = {{B, 1}, {T, 8}}});
#endif
  live.begin();
  static_cast<void>(live.step("x"_in = x)["y"_out](0, 0, 0));
}
