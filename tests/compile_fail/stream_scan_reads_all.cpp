// expect: {file}:{line}: attention: cannot be streamed along T: a step of the scan reads all positions; give it the
//         sequence beside the others that it runs over [F0239]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  g.output("y", scan(x, zeros(x, {B, 8}), [&](expr x_t, expr h) {
#ifdef ILL_FORMED
    const expr seen = attention(unsqueeze(h, 1), x, x); // <- here
    return scan_step{h, tanh(x_t + reshape(seen, {B, 8}))};
#else
    return scan_step{h, tanh(x_t + h)};
#endif
  }));
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
