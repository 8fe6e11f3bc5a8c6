// expect: {file}:{line}: in "outer.*": repeat: cannot be streamed along T: its layers look ahead inside another loop; write
//         the layers of one of them out [F0233]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  const auto one = [](expr y) { return conv1d(y, "c", 8, 3, {.padding = 1}); };
  g.output("y", repeat("outer", 2, x, [&](expr y) {
#ifdef ILL_FORMED
    return repeat("inner", 2, y, one); // <- here
#else
    return one(y);
#endif
  }));
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
