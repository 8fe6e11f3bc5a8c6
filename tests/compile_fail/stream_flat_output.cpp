// expect: {file}:{line}: relu: cannot be streamed along T: in an output positions share an axis with others; reshape
//         them to an axis of their own [F0226]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8}), flat = reshape(x, {B * T, 8});
#ifdef ILL_FORMED
  g.output("y", relu(flat)); // <- here
#else
  g.output("y", reshape(relu(flat), {B, T, 8}));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
