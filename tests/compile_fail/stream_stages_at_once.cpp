// expect: stream_stages: a stage needs what an earlier one computes before the first position; the stages of a stream
//         pass what moves along its dim alone [F0347]
#include <fovea/fovea.hpp>
#include <fovea/runtime/staged_stream.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  const expr memory = linear(g.input<f32>("source", {B, S, 8}), "memory", 8); // <- here
#else
  const expr memory = g.input<f32>("source", {B, S, 8});
#endif
  g.output("y", repeat("h", 2, x, [&](expr y) { return y + attention(y, memory, memory); }));
});

auto made(const model_weights& weights, const rank_group& group) {
  return stream_stages<T, 2>(m, weights, group);
}
