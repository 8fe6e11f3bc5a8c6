// expect: {file}:{line}: attention_maps: the model has no soft attention outside of scans [F0337]
#include <fovea/dsl.hpp>
#include <fovea/dsl/passes/attention_maps.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", gru(x, "rnn", 8)); // <- here
#else
  g.output("y", attention(x, x, x));
#endif
});

inline constexpr auto maps = attention_maps(m);
