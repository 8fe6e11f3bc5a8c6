// expect: {file}:{line}: scan: the body turns float32 [B, 4] into float32 [B, 5]; what a scan carries keeps
//         its shape [F0197]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

template <int width>
constexpr auto cell = [](expr x, expr h) {
  const expr next = tanh(linear(x, "x", width) + linear(h, "h", width));
  return scan_step{next, next};
};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4}), h = g.input<f32>("h", {B, 4});
#ifdef ILL_FORMED
  g.output("y", scan(x, h, cell<5>)); // <- here
#else
  g.output("y", scan(x, h, cell<4>));
#endif
});
