// expect: {file}:{line}: in "norm": batch_norm: in training it takes the statistics of the whole batch, which one step
//         of a scan does not have [F0216]
#include <fovea/dsl.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8}), start = g.input<f32>("start", {B, 8});
#ifdef ILL_FORMED
  const auto cell = [](expr now, expr s) { return batch_norm(now + s, "norm"); }; // <- here
#else
  const auto cell = [](expr now, expr s) { return layer_norm(now + s, "norm"); };
#endif
  g.output("y", scan(x, start, [&](expr now, expr s) { return scan_step{cell(now, s), s}; }).output);
});

[[maybe_unused]] inline constexpr auto learned = gradients<false, true>(m);
