// expect: {file}:{line}: a declaration adds inputs, words and outputs to its graph; this one adds nothing [F0285]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

#ifdef ILL_FORMED
inline constexpr auto m = model("m", [](graph&) {}); // <- here
#else
inline constexpr auto m = model("m", [](graph& g) { g.output("y", g.input<f32>("x", {B, T})); });
#endif
