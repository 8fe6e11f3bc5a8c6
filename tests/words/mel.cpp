#include "../streams/stream_case.hpp"
#include "../training/gradient_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr dim B{"B"}, T{"T"}, F{"F"};

/// Of the case, whose features have the mels before the frames, with zeros to a second.
constexpr auto whisper_hears = model("whisper_hears", [](graph& g) {
  const expr x = g.input<f32>("waveform", {T});
  g.output("features", transpose(log_mel(pad(x, -1, 0, 16000 - 13000))));
  g.output("mel_filters", mel_filters(x, 201));
});

constexpr auto kaldi_hears = model("kaldi_hears", [](graph& g) {
  const expr x = g.input<f32>("waveform", {B, T});
  g.output("kaldi", fbank(x, {.mels = 23}));
  g.output("hamming", fbank(x, {.mels = 40, .window = hamming}));
});

constexpr auto of_a_batch = model("of_a_batch", [](graph& g) {
  const expr x = pad(g.input<f32>("x", {B, T}), T, 5, 7, 0.5);
  const expr loud = x * unsqueeze(to_float(range(x, B)) + 0.01, 1);
  g.output("log_mel", log_mel(loud, {.size = 16, .hop = 6, .mels = 5}));
  g.output("fbank", fbank(x, {.mels = 4, .width = 11, .hop = 4, .low = 0, .window = hann}));
});

constexpr auto heard = model("heard", [](graph& g) {
  const expr x = reshape(g.input<f32>("x", {B, F, 160}), {B, 160 * F});
  g.output("fbank", fbank(pad(x, -1, 2 * 160, 0)));
});

/// Filters by their definition, in double.
template <class to_mels, class to_hz>
std::vector<double> filters_of(int bins, int mels, double rate, double low, double high, to_mels mel,
                               to_hz hz, bool area) {
  std::vector<double> made;
  const auto corner = [&](int i) { return hz(mel(low) + (mel(high) - mel(low)) * i / (mels + 1)); };
  for (int k = 0; k < bins; ++k)
    for (int m = 0; m < mels; ++m) {
      const double f = rate / 2 * k / (bins - 1), a = corner(m), b = corner(m + 1), c = corner(m + 2);
      const double height = std::max(0.0, std::min((f - a) / (b - a), (c - f) / (c - b)));
      made.push_back(area ? height * 2 / (c - a) : height);
    }
  return made;
}

constexpr auto other_filters = model("other_filters", [](graph& g) {
  const expr x = g.input<f32>("x", {T});
  g.output("htk", mel_filters(
                      x, 129,
                      {.mels = 24, .rate = 8000, .low = 50, .high = 3600, .scale = htk, .normalise = false}));
  g.output("slaney", mel_filters(x, 129, {.mels = 24, .rate = 22050, .low = 300}));
});

} // namespace

TEST_CASE("log_mel agrees with transformers' WhisperFeatureExtractor", "[mel]") {
  const golden_case c("today/log_mel");
  check_outputs(whisper_hears, c, weights_of(c), inputs_of(c));
}

// Frames of 400 every 160 within x; less their mean; x[n] - 0.97 x[n - 1], x[-1] being x[0]; the window over 399
// steps; |rfft to 512|^2; triangles over 1127 ln(1 + f / 700) from 20 to 8000 Hz; log max(e, 2^-23): in float64, where
// torchaudio.compliance.kaldi.fbank, which is of float32, differs by 2e-5.
TEST_CASE("fbank agrees with Kaldi's as torchaudio has it", "[mel]") { check_case(kaldi_hears, "fbank"); }

TEST_CASE("mel filters are triangles of their scale", "[mel]") {
  const auto htk_mel = [](double f) { return 2595 * std::log10(1 + f / 700); };
  const auto htk_hz = [](double m) { return 700 * (std::pow(10, m / 2595) - 1); };
  const double step = std::log(6.4) / 27;
  const auto slaney_mel = [&](double f) { return f < 1000 ? f * 3 / 200 : 15 + std::log(f / 1000) / step; };
  const auto slaney_hz = [&](double m) { return m < 15 ? m * 200 / 3 : 1000 * std::exp(step * (m - 15)); };
  on_both_backends([&](auto backend) {
    const named_values found = run_model<decltype(backend)>(other_filters, model_weights::from({}),
                                                            {{"x", values_of({3}, false, "x")}});
    const auto check_close = [&](const char* name, const std::vector<double>& right) {
      INFO(name);
      const double largest = *std::max_element(right.begin(), right.end());
      const std::vector<double>& values = found.at(name).values;
      REQUIRE(values.size() == right.size());
      for (std::size_t i = 0; i < right.size(); ++i) CHECK(std::abs(values[i] - right[i]) <= 3e-5 * largest);
    };
    check_close("htk", filters_of(129, 24, 8000, 50, 3600, htk_mel, htk_hz, false));
    check_close("slaney", filters_of(129, 24, 22050, 300, 11025, slaney_mel, slaney_hz, true));
  });
}

TEST_CASE("features of sound and their gradients fit any number of samples", "[mel]") {
  compare_at_awkward_sizes(of_a_batch);
  check_difference_quotients(of_a_batch, {{"B", 2}, {"T", 7}});
}

TEST_CASE("fbank streams as sound comes", "[mel]") { check_stream<F>(heard, {{"B", 2}, {"F", 7}}); }
