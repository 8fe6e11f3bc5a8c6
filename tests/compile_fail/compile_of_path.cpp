// expect: {file}:{line}: a file is loaded first, as in compile(model, load_weights("model.safetensors")) [F0328]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto doubled = fovea::model("doubled", [](fovea::graph& g) {
  const fovea::expr x = g.input<fovea::f32>("x", {B, T, 4});
  g.output("y", fovea::linear(x, "l", 4));
  g.output("loss", fovea::mse(x, fovea::linear(x, "m", 4)));
});

void run() {
  using namespace fovea;
#ifdef ILL_FORMED
  auto net = compile(doubled, "doubled.safetensors", {.capacity = {{B, 1}, {T, 4}}}); // <- here
#else
  auto net = compile(doubled, load_weights("doubled.safetensors"), {.capacity = {{B, 1}, {T, 4}}});
#endif
}
