// expect: {file}:{line}: relative_bias "bias": expected an even number of at least 4 buckets and a
//         .max_distance above 8 and below 1073741824, found 32 and 8 [F0134]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  attention_score bias = relative_bias(x, "bias", {.heads = 4, .max_distance = 8}); // <- here
#else
  attention_score bias = relative_bias(x, "bias", {.heads = 4, .max_distance = 9});
#endif
  g.output("y", attention(x, x, x, {.heads = 4, .score = bias}));
});
