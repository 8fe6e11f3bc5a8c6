// expect: {file}:{line}: reshape: rows cannot stand at positions of their own along T: the axes of an output do not tell
//         which row its values are of; let the batch be an axis of its own [F0252]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8}), heads = permute(reshape(x, {B, T, 4, 2}), {2, 0, 1, 3});
#ifdef ILL_FORMED
  g.output("y", reshape(heads, {4 * B, T, 2})); // <- here
#else
  g.output("y", heads);
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x, const std::vector<std::size_t>& lengths) {
  auto live = stream<T>(m, from, {.capacity = {{B, 4}, {T, 16}}});
  [[maybe_unused]] auto y = live.step(lengths, "x"_in = x)["y"_out];
}
