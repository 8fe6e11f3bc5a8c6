// expect: {file}:{line}: gru "rnn": expected float32, found int32 [B, T]; use to_float, or embedding for ids [F0043]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr ids = g.input<i32>("ids", {B, T});
#ifdef ILL_FORMED
  g.output("y", gru(ids, "rnn", 8)); // <- here
#else
  g.output("y", gru(embedding(ids, "words", 10, 4), "rnn", 8));
#endif
});
