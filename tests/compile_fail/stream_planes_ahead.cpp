// expect: {file}:{line}: in "c": conv2d: cannot be streamed along T: its windows see 1 later position; pad as many in
//         front of them [F0258]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8, 2});
#ifdef ILL_FORMED
  g.output("y", pad(conv2d(slice(x, T, 0, -1), "c", 4, {3, 3}, {.padding = same}), axis(1), 1, 0)); // <- here
#else
  g.output("y", conv2d(pad(x, T, 2, 0), "c", 4, {3, 3}, {.padding = {0, 1}}));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 4>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
