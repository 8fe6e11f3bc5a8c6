// expect: {file}:{line}: reshape: rows cannot stand at positions of their own along T: the first axis of its values is not
//         of rows of the batch [F0218]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8}), heads = reshape(x, {B, T, 4, 2});
#ifdef ILL_FORMED
  const expr h = reshape(permute(heads, {2, 0, 1, 3}), {4 * B, T, 2}); // <- here
#else
  const expr h = reshape(permute(heads, {0, 2, 1, 3}), {4 * B, T, 2});
#endif
  g.output("y", permute(reshape(attention(h, h, h, {.mask = causal}), {4, B, T, 2}), {1, 2, 0, 3}));
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x, const std::vector<std::size_t>& rows) {
  auto live = stream<T>(m, from, {.capacity = {{B, 4}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
  live.reorder(rows);
}
