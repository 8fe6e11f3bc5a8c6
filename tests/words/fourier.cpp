// The Fourier transform of frames, and the transposed one, against their definition: of sizes with small and large factors,
// even and odd, of more and fewer frames than a vector has lanes; streams and gradients.

#include "../streams/stream_case.hpp"
#include "../training/gradient_case.hpp"

#include <cmath>
#include <complex>
#include <numbers>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, F{"F"};

using complex = std::complex<double>;

/// X[k] = sum over n of x[n] exp(-2 pi i k n / size), k of 0 to size / 2.
std::vector<complex> spectrum_of(std::span<const double> x) {
  const std::size_t size = x.size();
  std::vector<complex> out(size / 2 + 1);
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t n = 0; n < size; ++n)
      out[k] += x[n] * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k * n % size) /
                                           static_cast<double>(size));
  return out;
}

/// The real part of the sum over k of x[k] exp(2 pi i k n / size).
std::vector<double> samples_of(std::span<const complex> x, std::size_t size) {
  std::vector<double> out(size);
  for (std::size_t n = 0; n < size; ++n)
    for (std::size_t k = 0; k < x.size(); ++k)
      out[n] += (x[k] * std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(k * n % size) /
                                            static_cast<double>(size)))
                    .real();
  return out;
}

double hann_at(std::size_t n, int width) {
  return 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(n) / width);
}

void check_values(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  CHECK(distance_of(std::span<const double>(found), {{expected.size()}, expected}, 1e-5, 1e-5).share <= 1);
}

/// Frames of `size` samples of their own, not windowed, there and back.
template <int size>
constexpr auto there = model("there", [](graph& g) {
  const auto [real, imag] = stft(reshape(g.input<f32>("x", {F, size}), {size * F}),
                                 {.size = size, .hop = size, .window = rectangular, .centre = false});
  g.output("real", real);
  g.output("imag", imag);
});

template <int size>
constexpr auto back = model("back", [](graph& g) {
  constexpr int bins = size / 2 + 1;
  const expr y = istft({g.input<f32>("real", {F, bins}), g.input<f32>("imag", {F, bins})},
                       {.size = size, .hop = size, .window = rectangular, .centre = false});
  g.output("x", reshape(slice(y, 0, 0, size * F), {F, size}));
});

template <int size>
void check_both_ways(std::size_t rows) {
  constexpr std::size_t bins = size / 2 + 1;
  const golden_tensor x = values_of({rows, size}, false, "x"), real = values_of({rows, bins}, false, "real"),
                      imag = values_of({rows, bins}, false, "imag");
  std::vector<double> reals, imags, samples;
  for (std::size_t row = 0; row < rows; ++row) {
    for (const complex each : spectrum_of(std::span(x.values).subspan(row * size, size))) {
      reals.push_back(each.real());
      imags.push_back(each.imag());
    }
    std::vector<complex> given(bins);
    for (std::size_t k = 0; k < bins; ++k) {
      const double share = k == 0 || 2 * k == size ? 1.0 / size : 2.0 / size; // both frequencies of a pair
      given[k] = {real.values[row * bins + k] * share, imag.values[row * bins + k] * share};
    }
    for (const double each : samples_of(given, size)) samples.push_back(each);
  }
  on_both_backends([&](auto backend) {
    INFO(rows << " frames of " << size);
    using chosen = decltype(backend);
    const named_values found = run_model<chosen>(there<size>, model_weights::from({}), {{"x", x}});
    check_values(found.at("real").values, reals);
    check_values(found.at("imag").values, imags);
    check_values(run_model<chosen>(back<size>, model_weights::from({}), {{"real", real}, {"imag", imag}})
                     .at("x")
                     .values,
                 samples);
  });
}

/// Sizes even and odd, windows shorter than the frame and beside its middle.
constexpr stft_options mirrored{.size = 1000, .hop = 300}, odd{.size = 1575, .hop = 400},
    narrow{.size = 1536, .hop = 512, .window = hamming, .width = 1201},
    apart{.size = 1024, .hop = 1300, .window = rectangular, .centre = false};

template <stft_options options>
constexpr auto long_frames = model("long_frames", [](graph& g) {
  const stft_result spectrum = stft(g.input<f32>("x", {B, T}), options);
  g.output("real", spectrum.real);
  g.output("imag", spectrum.imag);
  g.output("back", istft(spectrum, options));
});

constexpr auto uncentred = model("uncentred", [](graph& g) {
  constexpr stft_options options{.size = 1024, .hop = 256, .centre = false};
  const stft_result spectrum = stft(g.input<f32>("x", {B, T}), options);
  g.output("real", spectrum.real);
  g.output("imag", spectrum.imag);
});

/// A stream knows a frame when its last stretch of samples has come.
constexpr auto heard = model("heard", [](graph& g) {
  const expr x = reshape(g.input<f32>("x", {B, F, 512}), {B, 512 * F});
  g.output("power", stft(pad(x, -1, 512, 0), {.size = 1024, .hop = 512, .centre = false}).power());
});

/// Overlapping frames of many shapes, there and back through what is not linear.
constexpr auto learned = model("learned", [](graph& g) {
  const expr x = pad(g.input<f32>("x", {B, T}), -1, 7, 6, 0.5);
  const auto show = [&](const char* name, stft_options options) {
    const auto [real, imag] = stft(x, options);
    const expr loud = sqrt(real * real + imag * imag + 0.1);
    g.output(name, istft({real * loud, imag * loud}, options));
  };
  show("even", {.size = 12, .hop = 5});
  show("odd", {.size = 9, .hop = 2, .width = 7});
  show("prime", {.size = 11, .hop = 11, .window = hamming, .centre = false});
  show("apart", {.size = 6, .hop = 8, .window = rectangular, .centre = false});
});

/// Sound that goes out as it comes in, but for the first samples, which no other frame reaches into.
constexpr auto passed_on = model("passed_on", [](graph& g) {
  constexpr stft_options options{.size = 16, .hop = 4, .window = hamming, .centre = false};
  const expr x = reshape(g.input<f32>("x", {B, F, 4}), {B, 4 * F});
  const expr y = istft(stft(pad(x, -1, 3 * 4, 0), options), options);
  g.output("y", reshape(slice(y, -1, 0, 4 * F), {B, F, 4}));
});

} // namespace

TEST_CASE("a transform is that of its definition, and so is the way back", "[stft]") {
  check_both_ways<2>(3);
  check_both_ways<3>(17);
  check_both_ways<4>(1);
  check_both_ways<7>(4);
  check_both_ways<8>(33);
  check_both_ways<10>(5);
  check_both_ways<22>(2);
  check_both_ways<45>(16);
  check_both_ways<49>(3);
  check_both_ways<64>(15);
  check_both_ways<97>(2);
  check_both_ways<160>(3);
  check_both_ways<256>(2);
  check_both_ways<400>(9);
  check_both_ways<1018>(1);
  check_both_ways<1024>(2);
}

TEST_CASE("frames of long transforms are what their definition says", "[stft]") {
  constexpr std::size_t samples = 2000, size = 1024, hop = 256, frames = (samples - size) / hop + 1;
  const golden_tensor x = values_of({1, samples}, false, "x");
  std::vector<double> reals, imags;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    std::vector<double> windowed(size);
    for (std::size_t n = 0; n < size; ++n) windowed[n] = x.values[frame * hop + n] * hann_at(n, size);
    for (const complex each : spectrum_of(windowed)) {
      reals.push_back(each.real());
      imags.push_back(each.imag());
    }
  }
  on_both_backends([&](auto backend) {
    const named_values found = run_model<decltype(backend)>(uncentred, model_weights::from({}), {{"x", x}});
    check_values(found.at("real").values, reals);
    check_values(found.at("imag").values, imags);
  });
}

TEST_CASE("istft gives back the waveform of a spectrum of long frames", "[stft]") {
  const auto check_back = [](const auto& model, std::size_t samples, std::size_t known) {
    const golden_tensor x = values_of({2, samples}, false, "x");
    on_both_backends([&](auto backend) {
      const golden_tensor y =
          run_model<decltype(backend)>(model, model_weights::from({}), {{"x", x}}).at("back");
      for (std::size_t row = 0; row < 2; ++row) {
        const auto of_row = [&](const golden_tensor& t) {
          const auto first = t.values.begin() + static_cast<std::ptrdiff_t>(row * t.shape[1]);
          return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(known));
        };
        check_values(of_row(y), of_row(x));
      }
    });
  };
  check_back(long_frames<mirrored>, 3000, 3000);
  check_back(long_frames<odd>, 2801, 2801);
  check_back(long_frames<narrow>, 3072, 3072);
  check_back(long_frames<apart>, 2324, 1024); // the samples between frames are not known
}

TEST_CASE("transforms learn, stream, and fit any number of frames", "[stft]") {
  compare_at_awkward_sizes(learned);
  check_difference_quotients(learned, {{"B", 2}, {"T", 9}});
  check_stream<F>(heard, {{"B", 2}, {"F", 5}});
  check_stream<F>(passed_on, {{"B", 2}, {"F", 11}});
}
