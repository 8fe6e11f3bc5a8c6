// expect: {file}:{line}: repeat "h": the body turns value 1 of 2 from float32 [B, T, 768] into float32
//         [B, 768]; what a repeat carries keeps its shape [F0197]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 768});
  expr b = g.input<f32>("b", {B, 768});
#ifdef ILL_FORMED
  auto y = repeat("h", 4, std::array{a, b}, [](auto z) { return std::array{z[1], z[0]}; }); // <- here
#else
  auto y = repeat("h", 4, std::array{a, b}, [](auto z) { return std::array{z[0] + 1, z[1]}; });
#endif
  g.output("y", y[0]);
});
