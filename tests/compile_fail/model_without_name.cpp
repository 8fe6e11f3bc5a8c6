// expect: {file}:{line}: a model has a name, as in model("gpt", [](graph& g) { ... }) [F0287]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

#ifdef ILL_FORMED
inline constexpr auto m = model([](graph& g) { g.output("y", g.input<f32>("x", {B, T})); }); // <- here
#else
inline constexpr auto m = model("m", [](graph& g) { g.output("y", g.input<f32>("x", {B, T})); });
#endif
