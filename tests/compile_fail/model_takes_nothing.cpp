// expect: {file}:{line}: a declaration takes the graph by reference, as in [](graph& g) { ... } [F0284]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

#ifdef ILL_FORMED
inline constexpr auto m = model("m", []() { graph{}.output("y", graph{}.input<f32>("x", {B, T})); }); // <- here
#else
inline constexpr auto m = model("m", [](graph& g) { g.output("y", g.input<f32>("x", {B, T})); });
#endif
