// expect: {file}:{line}: a declaration is a lambda, as in [](graph& g) { ... }, and no function [F0282]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

#ifdef ILL_FORMED
constexpr void relu_of(graph& g) { g.output("y", relu(g.input<f32>("x", {B, T}))); }
inline constexpr auto m = model("relu_of", relu_of); // <- here
#else
inline constexpr auto m = model("relu_of", [](graph& g) { g.output("y", relu(g.input<f32>("x", {B, T}))); });
#endif
