// expect: {file}:{line}: max_pool: cannot be streamed along T: its windows see 1 later position; use .padding = causal
//         [F0258]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", pad(max_pool(slice(x, T, 0, -1), 3, {.stride = 1, .padding = 1}), axis(1), 1, 0)); // <- here
#else
  g.output("y", pad(max_pool(slice(x, T, 0, -1), 3, {.stride = 1, .padding = causal}), axis(1), 1, 0));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
