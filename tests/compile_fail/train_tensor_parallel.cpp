// expect: {file}:{line}: a tensor_parallel model has no gradients; expected the whole model, and the ranks that learn
//         together as the .group of train [F0350]
#include <fovea/dsl/passes/tensor_parallel.hpp>
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = linear(relu(linear(g.input<f32>("x", {B, 8}), "in", 8)), "out", 8); // <- here
  g.output("loss", mse(x, x));
});

#ifdef ILL_FORMED
inline constexpr auto learned = tensor_parallel<2>(m);
#else
inline constexpr const auto& learned = m;
#endif

auto made(const model_weights& weights) { return train(learned, sgd{.rate = 0.1}, weights); }
