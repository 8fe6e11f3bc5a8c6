// A program that loads weights, compiles, calls and streams, and knows nothing of text.
#include <fovea/fovea.hpp>

#include <cstdio>
#include <exception>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};
inline constexpr auto filter = model("filter", [](graph& g) {
  g.output("y", gru(g.input<f32>("x", {B, T, 2}), "rnn", 3));
});

int main() {
  const model_weights drawn = initial_weights(filter, 1);
  const xt::xtensor<float, 3> x = xt::ones<float>({1, 4, 2});
  auto net = compile(filter, drawn, {.capacity = {{B, 1}, {T, 4}}});
  auto live = stream<T>(filter, drawn, {.capacity = {{B, 1}, {T, 4}}});
  const float whole = net("x"_in = x)["y"_out](0, 3, 0), moved = live.step("x"_in = x)["y"_out](0, 3, 0);
  try {
    load_weights("no such file");
  } catch (const std::exception& refused) {
    std::puts(refused.what());
    return whole - moved < 1e-5f && moved - whole < 1e-5f ? 0 : 1;
  }
  return 1;
}
