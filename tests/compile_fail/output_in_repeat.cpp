// expect: {file}:{line}: output "z": its value belongs to the body of a repeat; carry it as one more value, and
//         declare what the repeat gives [F0029]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = repeat("h", 3, x, [&](expr z) {
    g.output("z", z); // <- here
#else
  expr y = repeat("h", 3, x, [&](expr z) {
#endif
    return linear(z, "mix", 64);
  });
  g.output("y", y);
});
