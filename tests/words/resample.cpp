#include "../training/gradient_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr dim B{"B"}, T{"T"};

constexpr auto rates = model("rates", [](graph& g) {
  const expr x = g.input<f32>("waveform", {B, T});
  g.output("third", resample(x, {.from = 48000, .to = 16000}));
  g.output("compact", resample(x, {.from = 44100, .to = 16000}));
  g.output("twice", resample(x, {.from = 8000, .to = 16000}));
  g.output("sharp", resample(x, {.from = 24000, .to = 16000, .crossings = 16}));
});

constexpr auto short_ones = model("short_ones", [](graph& g) {
  const expr x = g.input<f32>("x", {T});
  g.output("down", resample(x, {.from = 5, .to = 2}));
  g.output("up", resample(x, {.from = 2, .to = 5}));
  g.output("same", resample(x, {.from = 3, .to = 3}));
});

} // namespace

// conv1d by `from` samples with sinc(t) cos^2(pi t / 2 / crossings) c / from, t = (j / from - i / to) c within
// +- crossings, c = 0.99 min(from, to), in float64: torchaudio.functional.resample differs by 4e-16.
TEST_CASE("resample agrees with torchaudio.functional.resample", "[resample]") {
  check_case(rates, "resample");
}

TEST_CASE("resample fits any number of samples", "[resample]") {
  compare_at_awkward_sizes(short_ones);
  check_difference_quotients(short_ones, {{"T", 7}});
}

TEST_CASE("resample leaves a tone as it is, but for the ends", "[resample]") {
  golden_tensor tone{{1, 4800}, {}, false};
  for (int i = 0; i < 4800; ++i) tone.values.push_back(std::sin(2 * 3.14159265358979 * 440 * i / 48000));
  const golden_tensor found =
      run_model<f32>(rates, model_weights::from({}), {{"waveform", tone}}).at("third");
  REQUIRE(found.shape == std::vector<std::size_t>{1, 1600});
  for (int i = 50; i < 1550; ++i)
    CHECK(std::abs(found.values[static_cast<std::size_t>(i)] -
                   std::sin(2 * 3.14159265358979 * 440 * i / 16000)) < 1e-3);
}
