#pragma once

#include <cstdint>
#include <numbers>

#include <fovea/dsl/fourier.hpp>
#include <fovea/dsl/shape_words.hpp>

namespace fovea::core {

/// How much each sample of a frame counts: not at all at its ends but in the middle, by half a wave of a cosine
/// (`hann`); by a tenth at the ends (`hamming`); as Kaldi's, hann to the power 0.85 (`povey`); all the same.
enum class frame_window : std::uint8_t { hann, hamming, povey, rectangular };
inline constexpr frame_window hann = frame_window::hann, hamming = frame_window::hamming,
                              povey = frame_window::povey, rectangular = frame_window::rectangular;

struct stft_options {
  int size = 400; // points of the transform, and samples of a frame
  int hop = 0;    // samples from one frame to the next; 0: a quarter of the size
  frame_window window = hann;
  int width = 0;      // samples that the window is long, in the middle of a frame; 0: the size
  bool centre = true; // frame t has sample t * hop in its middle, the ends of x mirrored; false: as its first
};

/// The transform of each frame: [..., frames, size / 2 + 1].
struct stft_result {
  expr real, imag;

  /// real^2 + imag^2.
  constexpr expr power(source_place at = {__builtin_FILE(), __builtin_LINE()}) const {
    const reported_at user(real, at.as("stft"));
    return real * real + imag * imag;
  }
};

namespace detail {

/// The options with their defaults in place; an error of the graph where a number is out of its range.
constexpr bool are_possible(stft_options& o, graph& g, const char* word, source_place at) {
  constexpr int largest = 4096; // so that float32 holds the product of a sample and a frequency
  if (o.size < 2 || o.size > largest) {
    g.fail(375, at, word, ": expected a .size of 2 to ", largest, ", found ", o.size);
    return false;
  }
  if (o.hop == 0) o.hop = o.size < 4 ? 1 : o.size / 4;
  if (o.width == 0) o.width = o.size;
  if (o.hop >= 1 && o.width >= 2 && o.width <= o.size) return true;
  g.fail(376, at, word, ": expected a .hop of at least 1 and a .width of 2 to ", o.size, ", found ", o.hop,
         " and ", o.width);
  return false;
}

constexpr framing framing_of(const stft_options& o) {
  return {o.width, o.hop, o.size, (o.size - o.width) / 2};
}

/// Whether x is a waveform of at least so many samples, of which frames can be made.
constexpr bool is_waveform(expr x, int samples, const char* word, source_place at) {
  if (!is_float(x, at, word)) return false;
  graph& g = *x.owner;
  if (x.rank() < 1 || x.rank() == shape::max_rank) {
    g.fail(377, at, word, ": expected a waveform [..., samples] of 1 to ", shape::max_rank - 1,
           " axes, found ", x);
    return false;
  }
  const dim length = x.size(-1);
  if (!length.is_number() || length.number() >= samples) return true;
  g.fail(378, at, word, ": expected at least ", samples, " samples, found ", x);
  return false;
}

/// x with `count` samples before and behind it, as if mirrors stood at its first and its last one.
constexpr expr mirrored(expr x, int count) {
  const dim samples = x.size(-1);
  return concat(-1, reverse(slice(x, -1, 1, count + 1), -1), x,
                reverse(slice(x, -1, samples - (count + 1), samples - 1), -1));
}

/// A window of `width` samples at the places `at`. It repeats after as many, as those of transforms do, or is
/// the same from both ends, as Kaldi's are.
constexpr expr window_at(expr at, frame_window window, int width, bool symmetric) {
  if (window == rectangular) return at * 0.0 + 1.0;
  const expr wave = cos(at * (2 * std::numbers::pi / (symmetric || window == povey ? width - 1 : width)));
  if (window == hamming) return 0.54 - 0.46 * wave;
  const expr risen = max(0.5 - 0.5 * wave, 0.0);
  return window == povey ? pow(risen, 0.85) : risen;
}

/// The rows of a waveform transformed, frame by frame.
constexpr stft_result spectrum_of(expr rows, expr window, const framing& f) {
  const expr both = transformed(op::stft, rows, window, turns_of(rows, f.points), f);
  return {slice(both, -1, 0, f.bins()), slice(both, -1, f.bins(), 2 * f.bins())};
}

/// Of `frames` frames those that reach into each stretch, 1 where frame t - k does: [frames + stretches - 1, stretches].
constexpr expr frames_seen(expr x, dim frames, int stretches) {
  expr seen = broadcast(constant(x, 1.0), {frames, 1});
  for (int k = 1; k < stretches;) {
    const int more = k < stretches - k ? k : stretches - k;
    seen = concat(-1, pad(seen, -2, 0, more), pad(slice(seen, -1, k - more, k), -2, more, 0));
    k += more;
  }
  return seen;
}

} // namespace detail

/// The short-time Fourier transform (Allen and Rabiner 1977), as torch.stft gives it, the frames before the
/// frequencies: X[t, k] = sum over n of window[n] x[t * hop + n - padding] exp(-2 pi i k n / size), padding
/// being size / 2 where frames are centred and 0 elsewhere. x [..., T] -> real and imag [..., (T + 2 *
/// padding - size) / hop + 1, size / 2 + 1]. A window shorter than the size stands in the middle of zeros.
constexpr stft_result stft(expr x, stft_options options = {},
                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "stft";
  if (!detail::is_float(x, at, word)) return {{x.owner}, {x.owner}};
  graph& g = *x.owner;
  const expr nothing{&g};
  if (!detail::are_possible(options, g, word, at) ||
      !detail::is_waveform(x, options.centre ? options.size / 2 + 1 : options.size, word, at))
    return {nothing, nothing};
  const reported_at user(x, at.as(word));
  if (options.centre) x = detail::mirrored(x, options.size / 2);
  const detail::framing f = detail::framing_of(options);
  if (options.width < options.size) { // what stands beside the window counts for nothing
    const dim samples = x.size(-1);
    x = slice(x, -1, f.first, samples - (options.size - options.width - f.first));
  }
  const expr window =
      detail::window_at(detail::counted(x, options.width), options.window, options.width, false);
  return detail::spectrum_of(detail::in_stretches(x, f), window, f);
}

/// The waveform whose stft with the same options comes nearest to this one (Griffin and Lim 1984, eq. 6), as
/// torch.istft gives it: frames transformed back, windowed and added up, divided by the sum of the windows'
/// squares. real and imag [..., frames, size / 2 + 1] -> [..., (frames - 1) * hop + size], and where frames are
/// centred 2 (size / 2) samples less.
constexpr expr istft(stft_result spectrum, stft_options options = {},
                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "istft";
  const auto [real, imag] = spectrum;
  if (!detail::is_float(real, at, word) || !detail::is_float(imag, at, word)) return {real.owner};
  graph& g = *real.owner;
  if (!detail::are_possible(options, g, word, at)) return {&g};
  const detail::framing f = detail::framing_of(options);
  if (real.rank() < 2 || !(g.shape_of(real) == g.shape_of(imag)) || !(real.size(-1) == dim(f.bins())))
    return g.fail(379, at, word, ": expected real and imaginary parts [..., frames, ", f.bins(), "], found ",
                  real, " and ", imag);
  const reported_at user(real, at.as(word));
  const expr window =
      detail::window_at(detail::counted(real, options.width), options.window, options.width, false);
  // Each frequency but the first, and the last of an even size, stands for its negative one, too.
  const expr bin = detail::counted(real, f.bins());
  const expr share = where(bin == 0.0 || 2 * bin == 1.0 * f.points, 1.0 / f.points, 2.0 / f.points);
  const expr rows = detail::transformed(op::stft_transposed, concat(-1, real * share, imag * share), window,
                                        detail::turns_of(real, f.points), f);
  const dim count = real.size(-2);
  const int beyond = f.stretches() * f.hop - f.width; // samples of the last stretch that no frame has
  const expr squares = pad(window * window, 0, 0, beyond);
  const expr windows = matmul(detail::frames_seen(real, count, f.stretches()),
                              detail::taken_apart(squares, f.stretches(), f.hop));
  const expr y = detail::joined(rows / max(windows, 1e-11));
  const int begin = options.centre ? options.size / 2 - f.first : 0,
            left = options.centre ? options.size - options.size / 2 - f.first : f.width;
  const expr kept =
      begin == 0 && left == f.stretches() * f.hop ? y : slice(y, -1, begin, (count - 1) * f.hop + left);
  return options.centre || f.width == f.points ? kept : pad(kept, -1, f.first, f.points - f.width - f.first);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::frame_window, core::hamming, core::hann, core::istft, core::povey, core::rectangular, core::stft,
    core::stft_options, core::stft_result;
} // namespace fovea
