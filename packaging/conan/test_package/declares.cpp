// A model is declared, compiled and called.
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"};
inline constexpr auto tiny = model("tiny", [](graph& g) {
  g.output("y", relu(linear(g.input<f32>("x", {B, 8}), "up", 4)));
});
static_assert(tiny.parameters() == 8 * 4 + 4);

int main() {
  auto net = compile(tiny, initial_weights(tiny, 1), {.capacity = {{B, 2}}});
  const xt::xtensor<float, 2> x = xt::ones<float>({2, 8});
  return net("x"_in = x)["y"_out](0, 0) >= 0 ? 0 : 1;
}
