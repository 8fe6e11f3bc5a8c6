// expect: stream: no input has a batch axis before T, known at run time, of which to take a row [F0318]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
#ifdef ILL_FORMED
  const expr x = g.input<f32>("x", {T, 8}); // <- here
#else
  const expr x = g.input<f32>("x", {B, T, 8});
#endif
  g.output("y", attention(x, x, x, {.mask = causal}));
});

void run(const model_weights& from) {
  auto live = stream<T>(m, from, {.capacity = {{T, 16}}});
  live.reset(2);
}
