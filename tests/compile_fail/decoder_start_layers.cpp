// expect: {file}:{line}: decoder_start: 2 layers of a decoder start from as many of its encoder, found 1;
//         start_state::zeros needs none [F0322]
#include <fovea/models/decoder_start.hpp>

using namespace fovea;
using namespace fovea::models;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 5});
  recurrent_result read = lstm(x, "encoder", 4);
#ifdef ILL_FORMED
  recurrent_state start = decoder_start(start_state::forward, read.state, false, 2, 4); // <- here
#else
  recurrent_state start = decoder_start(start_state::forward, read.state, false, 1, 4);
#endif
  g.output("y", lstm(x, "decoder", 4, {.initial = start}));
});
