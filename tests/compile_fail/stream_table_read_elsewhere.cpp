// expect: {file}:{line}: attention: cannot be streamed along T: a table of its lambdas has positions, and is not read there
//         by the number of the query or the key alone [F0253]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8}), weight = sum(x, axis(-1));
#ifdef ILL_FORMED
  const attention_score by_next([weight](scalar s, scalar, scalar k, scalar, scalar b) { return s + at(weight, b, k + 1); });
  g.output("y", attention(x, x, x, {.score = by_next, .mask = causal})); // <- here
#else
  const attention_score by_key([weight](scalar s, scalar, scalar k, scalar, scalar b) { return s + at(weight, b, k); });
  g.output("y", attention(x, x, x, {.score = by_key, .mask = causal}));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
