// expect: {file}:{line}: a stream keeps keys and values in f32{}, f16{}, bf16{} or q8_0{} [F0402]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  g.output("y", attention(x, x, x, {.heads = 2, .mask = causal}));
});

void run(const model_weights& from) {
#ifdef ILL_FORMED
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 8}}, .cache = q4_0{}}); // <- here
#else
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 8}}, .cache = q8_0{}});
#endif
  static_cast<void>(live.position());
}
