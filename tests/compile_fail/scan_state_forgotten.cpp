// expect: {file}:{line}: scan: the state is 2 values, the next state that the body gives 1; several are
//         scan_step{output, std::array{a, b}} [F0188]
#include <fovea/dsl.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto cell = fovea::model("cell", [](fovea::graph& g) {
  using namespace fovea;
  const expr x = g.input<f32>("x", {B, T, 8}), none = zeros(x, {B, 8});
  const auto body = [](expr now, std::array<expr, 2> state) {
    const expr c = state[1] + now, h = tanh(state[0] + c);
#ifdef ILL_FORMED
    return scan_step{h, h};
#else
    return scan_step{h, std::array{h, c}};
#endif
  };
  g.output("y", scan(x, std::array{none, none}, body)); // <- here
});
