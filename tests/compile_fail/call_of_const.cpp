// expect: {file}:{line}: a call writes into the memory of what is called, which is const here; expected one that is not
//         [F0336]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4});
  g.output("y", linear(x, "h", 4));
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
#ifdef ILL_FORMED
  const auto net = compile(m, from, {.capacity = {{B, 1}, {T, 8}}});
#else
  auto net = compile(m, from, {.capacity = {{B, 1}, {T, 8}}});
#endif
  static_cast<void>(net("x"_in = x)["y"_out](0, 0, 0)); // <- here
}
