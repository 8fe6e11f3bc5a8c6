// expect: {file}:{line}: attention: a stream cannot be rewound along T: it keeps only what the next position needs; save the
//         state before a step, and load it instead [F0400]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", attention(x, x, x, {.mask = window(4)})); // <- here
#else
  g.output("y", attention(x, x, x, {.mask = causal}));
#endif
});

void run(const model_weights& from) {
  auto live = stream<T>(m, from, {.capacity = {{B, 4}, {T, 16}}});
  live.rewind(1, 2);
}
