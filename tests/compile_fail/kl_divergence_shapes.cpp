// expect: {file}:{line}: kl_divergence: cannot compare [B, T, 8] and [B, 8]; their shapes must be equal [F0203]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = kl_divergence(log_softmax(x), softmax(last(x, T))); // <- here
#else
  expr y = kl_divergence(log_softmax(x), softmax(x));
#endif
  g.output("y", y);
});
