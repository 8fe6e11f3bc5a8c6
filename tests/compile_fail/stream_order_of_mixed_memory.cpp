// expect: {file}:{line}: reshape: rows cannot stand at positions of their own along T: the first axis of its values is not
//         of rows of the batch [F0218]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr source = g.input<f32>("source", {B, S, 8}), heads = reshape(source, {B, S, 4, 2});
  const expr x = reshape(g.input<f32>("x", {B, T, 8}), {B, T, 4, 2});
#ifdef ILL_FORMED
  const expr h = reshape(permute(heads, {2, 0, 1, 3}), {4 * B, S, 2}); // <- here
  const expr q = reshape(permute(x, {2, 0, 1, 3}), {4 * B, T, 2});
  g.output("y", permute(reshape(attention(q, h, h), {4, B, T, 2}), {1, 2, 0, 3}));
#else
  const expr h = reshape(permute(heads, {0, 2, 1, 3}), {4 * B, S, 2});
  const expr q = reshape(permute(x, {0, 2, 1, 3}), {4 * B, T, 2});
  g.output("y", permute(reshape(attention(q, h, h), {B, 4, T, 2}), {0, 2, 1, 3}));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& source, const xt::xtensor<float, 3>& x,
         const std::vector<std::size_t>& rows) {
  auto live = stream<T>(m, from, {.capacity = {{B, 4}, {T, 16}, {S, 8}}});
  live.begin("source"_in = source);
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
  live.reorder(rows);
}
