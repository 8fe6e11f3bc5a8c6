#include "../streams/stream_case.hpp"
#include "../training/gradient_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr dim B{"B"}, T{"T"}, F{"F"};

/// The case has the frequencies before the frames.
constexpr auto features = model("features", [](graph& g) {
  const expr x = g.input<f32>("waveform", {B, T});
  const stft_result spectrum = stft(x, {.size = 128, .hop = 40});
  const expr power = spectrum.power(), filters = mel_filters(x, 65, {.mels = 20});
  const expr mel = matmul(power, filters);
  g.output("real", transpose(spectrum.real));
  g.output("imag", transpose(spectrum.imag));
  g.output("power", transpose(power));
  g.output("mel", transpose(mel));
  g.output("log_mel", transpose(log(mel + 1e-6)));
});

constexpr auto tables = model("tables", [](graph& g) {
  g.output("mel_filters", mel_filters(g.input<f32>("waveform", {B, T}), 65, {.mels = 20}));
});

/// A window shorter than the transform, odd sizes, frames that lie inside and apart.
constexpr stft_options short_window{.size = 64, .hop = 20, .window = hamming, .width = 48};
constexpr stft_options odd{.size = 45, .hop = 11};
constexpr stft_options inside{.size = 32, .hop = 8, .window = hamming, .centre = false};
constexpr stft_options apart{.size = 16, .hop = 25, .window = rectangular, .centre = false};
constexpr stft_options narrow{.size = 40, .hop = 10, .width = 31, .centre = false};

constexpr auto settings = model("settings", [](graph& g) {
  const expr x = g.input<f32>("waveform", {B, T});
  const auto show = [&](const char* real, const char* imag, stft_options options) {
    const stft_result spectrum = stft(x, options);
    g.output(real, spectrum.real);
    g.output(imag, spectrum.imag);
  };
  show("real_short", "imag_short", short_window);
  show("real_odd", "imag_odd", odd);
  show("real_inside", "imag_inside", inside);
  show("real_apart", "imag_apart", apart);
  show("real_narrow", "imag_narrow", narrow);
});

constexpr auto back = model("back", [](graph& g) {
  const auto show = [&](const char* out, const char* real, const char* imag, stft_options options) {
    const int bins = options.size / 2 + 1;
    g.output(out, istft({g.input<f32>(real, {B, F, bins}), g.input<f32>(imag, {B, F, bins})}, options));
  };
  show("waveform_short", "real_short", "imag_short", short_window);
  show("waveform_odd", "real_odd", "imag_odd", odd);
  show("waveform_inside", "real_inside", "imag_inside", inside);
});

/// A waveform there and back, of many sizes.
constexpr auto there_and_back = model("there_and_back", [](graph& g) {
  const expr x = reshape(g.input<f32>("x", {B, F, 6}), {B, 6 * F});
  const auto same_as = [&](stft_options options) { return istft(stft(x, options), options); };
  g.output("centred", same_as({.size = 12, .hop = 3}));
  g.output("far", same_as({.size = 12, .hop = 6, .window = hamming}));
  g.output("inside", same_as({.size = 12, .hop = 1, .window = hamming, .centre = false}));
});

/// Sound by stretches of 40 samples: a stream knows a frame when its last stretch has come.
constexpr auto heard = model("heard", [](graph& g) {
  const expr x = reshape(g.input<f32>("x", {B, F, 40}), {B, 40 * F});
  const expr before = pad(x, -1, 2 * 40, 0);
  g.output("power", stft(before, {.size = 100, .hop = 40, .centre = false}).power());
});

constexpr auto of_one = model("of_one", [](graph& g) {
  const expr x = pad(g.input<f32>("x", {T}), 0, 5, 7, 0.5);
  g.output("centred", stft(x, {.size = 12, .hop = 5}).power());
  g.output("inside", stft(x, {.size = 9, .hop = 2, .window = povey, .centre = false}).real);
});

} // namespace

TEST_CASE("stft agrees with torch.stft, and its mels with transformers' filters", "[stft]") {
  const golden_case c("today/stft");
  check_case(features, c, weights_of(c), inputs_of(c));
  check_outputs(tables, c, weights_of(c), inputs_of(c));
}

// torch.stft(x, size, hop, win_length=width, window=w, center=centre) in float64, frames before frequencies.
TEST_CASE("stft of other windows, sizes and places of frames agrees with torch.stft", "[stft]") {
  check_case(settings, "stft_settings");
}

// torch.istft(X, size, hop, win_length=width, window=w, center=centre) in float64 of random X.
TEST_CASE("istft agrees with torch.istft where no waveform has the spectrum", "[stft]") {
  check_case(back, "istft");
}

TEST_CASE("istft gives back the waveform of a spectrum", "[stft]") {
  const golden_tensor x = values_of({2, 9, 6}, false, "x");
  on_both_backends([&](auto backend) {
    for (const auto& [name, y] :
         run_model<decltype(backend)>(there_and_back, model_weights::from({}), {{"x", x}})) {
      INFO(name);
      REQUIRE(y.shape == std::vector<std::size_t>{2, 54});
      CHECK(distance_of(std::span<const double>(y.values), x, 1e-5, 1e-5).share <= 1);
    }
  });
}

TEST_CASE("stft and its gradient fit any number of samples", "[stft]") {
  compare_at_awkward_sizes(of_one);
  check_difference_quotients(of_one, {{"T", 7}});
  check_difference_quotients(there_and_back, {{"B", 1}, {"F", 2}});
}

TEST_CASE("frames stream as their last samples come", "[stft]") {
  check_stream<F>(heard, {{"B", 2}, {"F", 9}});
}

TEST_CASE("a waveform too short for a frame is refused by its size", "[stft]") {
  CHECK_THROWS_AS(
      (run_model<f32>(settings, model_weights::from({}), {{"waveform", values_of({1, 20}, false, "x")}})),
      error);
}
