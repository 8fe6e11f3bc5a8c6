// expect: {file}:{line}: attend "where": local_p predicts from queries, which scores alone do not have;
//         compute centres, and give them to local_m [F0171]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr scores = g.input<f32>("scores", {B, T, S}), v = g.input<f32>("v", {B, S, 8});
#ifdef ILL_FORMED
  g.output("y", attend(scores, v, {.mode = local_p("where", 5, 2)})); // <- here
#else
  g.output("y", attend(scores, v, {.mode = local_m(2)}));
#endif
});
