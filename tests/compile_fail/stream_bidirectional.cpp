// expect: {file}:{line}: in "rnn": bidirectional: cannot be streamed along T: it runs from the last position to the first
//         [F0232]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", bidirectional(lstm, x, "rnn", 4)); // <- here
#else
  g.output("y", lstm(x, "rnn", 4));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  live.begin();
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
