// expect: {file}:{line}: roll: cannot be streamed along T: all positions read what is known after the last of them; let them
//         read what is known at each [F0238]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", roll(x, T, 1)); // <- here
#else
  g.output("y", roll(x, axis(2), 1));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  live.begin();
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
