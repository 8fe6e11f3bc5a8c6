// expect: {file}:{line}: attention: local attention takes a score that adds to the product, as alibi does, found one that changes it otherwise [F0403]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr q = g.input<f32>("q", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", attention(q, q, q, {.score = [](scalar s, scalar, scalar) { return tanh(s); }, .mode = local_m(2)})); // <- here
#else
  g.output("y", attention(q, q, q, {.score = [](scalar s, scalar i, scalar j) { return s - 0.5 * abs(i - j); }, .mode = local_m(2)}));
#endif
});
