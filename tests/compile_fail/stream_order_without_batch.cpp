// expect: {file}:{line}: the inputs of the step have no batch axis before time: there is one row [F0298]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto single = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {T, 8});
  g.output("y", attention(x, x, x, {.mask = causal}));
});
inline constexpr auto rows = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  g.output("y", attention(x, x, x, {.mask = causal}));
});

void run(const model_weights& from) {
#ifdef ILL_FORMED
  auto live = stream<T>(single, from, {.capacity = {{T, 16}}});
  live.reorder(std::vector<std::size_t>{0}); // <- here
#else
  auto live = stream<T>(rows, from, {.capacity = {{B, 2}, {T, 16}}});
  live.reorder(std::vector<std::size_t>{0});
#endif
}
