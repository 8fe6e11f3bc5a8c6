// expect: {file}:{line}: output "h": its value belongs to the body of a scan; return it from the body, as in
//         scan_step{value, next}, and declare the .output of the scan [F0028]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = scan(x, zeros(x, {B, 64}), [&](expr now, expr s) {
    const expr h = tanh(now + s);
    g.output("h", h); // <- here
#else
  expr y = scan(x, zeros(x, {B, 64}), [&](expr now, expr s) {
    const expr h = tanh(now + s);
#endif
    return scan_step{h, h};
  }).output;
  g.output("y", y);
});
