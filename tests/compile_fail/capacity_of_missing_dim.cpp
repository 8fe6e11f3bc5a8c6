// expect: {file}:{line}: CAPACITY S: the model has no such dim; its dims are B, T [F0351]
#include <fovea/dsl.hpp>
#include <fovea/programs/known_dims.hpp>

using namespace fovea;

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", "T", 8});
  g.output("y", conv1d(x, "conv", 4, 3, {.stride = 2})); // <- here
});
#ifdef ILL_FORMED
inline constexpr dim told{"S"};
#else
inline constexpr dim told{"T"};
#endif

static_assert(programs::has_dims<std::remove_const_t<decltype(m)>>);
static_assert(programs::has_dims<std::remove_const_t<decltype(m)>, dim{"B"}, told>);
