// expect: {file}:{line}: a declaration captures nothing: pass what it needs as template arguments [F0283]
#include <fovea/dsl.hpp>

using namespace fovea;

template <int width>
inline constexpr auto relu_of = model("relu_of", [](graph& g) { g.output("y", relu(g.input<f32>("x", {width}))); });

int main() {
#ifdef ILL_FORMED
  int width = 512;
  const auto m = model("relu_of", [width](graph& g) { g.output("y", relu(g.input<f32>("x", {width}))); }); // <- here
#else
  const auto m = relu_of<512>;
#endif
  static_cast<void>(m);
}
