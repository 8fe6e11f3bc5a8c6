// expect: {file}:{line}: attention: a score or mask lambda records at most 48 operations on at most 4 tables [F0019]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

template <int n>
inline constexpr auto long_score = [](scalar s, scalar, scalar) {
  for (int i = 0; i < n; ++i) s = exp(s);
  return s;
};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.score = long_score<60>}); // <- here
#else
  expr y = attention(x, x, x, {.score = long_score<20>});
#endif
  g.output("y", y);
});
