#include "random_sizes.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, F{"F"};

constexpr auto frames = model("frames", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T});
  const auto show = [&](const char* name, const char* back, stft_options options) {
    const stft_result spectrum = stft(x, options);
    g.output(name, spectrum.power());
    g.output(back, istft(spectrum, options));
  };
  show("even", "even_back", {.size = 20, .hop = 5});
  show("odd", "odd_back", {.size = 21, .hop = 4, .width = 17});
  show("eights", "eights_back", {.size = 32, .hop = 31, .window = hamming, .centre = false});
  show("apart", "apart_back", {.size = 14, .hop = 19, .window = rectangular, .centre = false});
  g.output("mels", fbank(x, {.mels = 5, .width = 24, .hop = 7, .low = 0}));
});

constexpr stft_options of_stretches{.size = 18, .hop = 6, .window = hamming, .centre = false};
constexpr stft_result heard_in(graph& g) {
  const expr x = reshape(g.input<f32>("x", {B, F, 6}), {B, 6 * F});
  return stft(pad(x, -1, 2 * 6, 0), of_stretches);
}

constexpr auto heard = model("heard", [](graph& g) { g.output("power", heard_in(g).power()); });
// All rows share the sums of its windows, and so go on together.
constexpr auto passed_on = model("passed_on", [](graph& g) {
  g.output("y", reshape(slice(istft(heard_in(g), of_stretches), -1, 0, 6 * F), {B, F, 6}));
});

} // namespace

TEST_CASE("calls of transforms", "[random]") { check_drawn_calls(frames, {{"B", {1, 3}}, {"T", {32, 400}}}); }

TEST_CASE("steps and rows of transforms", "[random]") {
  const size_ranges of_stream{{"B", {1, 3}}, {"F", {1, 40}}};
  check_drawn_steps<F>(heard, of_stream);
  check_drawn_steps<F>(passed_on, of_stream);
  check_drawn_rows<F>(heard, of_stream);
}
