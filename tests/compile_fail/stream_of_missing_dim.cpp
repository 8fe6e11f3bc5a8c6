// expect: {file}:{line}: stream: the model has no dim S; it has B, T [F0228]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto doubled = model("doubled", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T});
  g.output("y", 2 * x); // <- here
});

void run(const model_weights& weights) {
#ifdef ILL_FORMED
  auto live = stream<S>(doubled, weights, {.capacity = {{B, 1}, {T, 4}}});
#else
  auto live = stream<T>(doubled, weights, {.capacity = {{B, 1}, {T, 4}}});
#endif
}
