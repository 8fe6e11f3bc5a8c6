// expect: {file}:{line}: rope: .scaling: expected 8 divisors, one for each pair of features that turns; found 4 [F0355]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};
inline constexpr rope_divisors divisors{4, {1, 1.5, 2, 4}};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = rope(x, {.heads = 4, .scaling = rope_scaling::longrope(divisors, {.factor = 4, .positions = 4096})}); // <- here
#else
  expr y = rope(x, {.heads = 8, .scaling = rope_scaling::longrope(divisors, {.factor = 4, .positions = 4096})});
#endif
  g.output("y", y);
});
