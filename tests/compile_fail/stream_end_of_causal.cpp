// expect: {file}:{line}: the model looks at no later position: a row may be reset at once [F0296]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  g.output("y", conv1d(x, "c", 8, 3, {.padding = causal}));
});

void run(const model_weights& from) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
#ifdef ILL_FORMED
  live.end(0); // <- here
#else
  live.reset(0);
#endif
}
