#pragma once

#include <array>
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

/// The frames of `size` samples that begin every `hop` samples and lie within x: [..., T] -> [...,
/// (T - size) / hop + 1, size].
constexpr expr framed(expr x, int size, int hop) {
  const dim samples = x.size(-1), frames = (samples - size) / hop + 1;
  const int parts = (size + hop - 1) / hop; // stretches of `hop` samples that a frame reaches into
  const dim stretches = frames + (parts - 1);
  if (!(stretches * hop == samples)) {
    if (parts * hop > size) x = pad(x, -1, 0, parts * hop - size);
    x = slice(x, -1, 0, stretches * hop);
  }
  x = taken_apart(x, stretches, hop);
  if (!x.valid()) return x;
  // Each row holds `held` stretches: it takes on as many of a later row, until it is a frame.
  for (int held = 1; held < parts;) {
    const int more = held < parts - held ? held : parts - held;
    const dim rows = stretches - (held + more - 1);
    const int first = (held - more) * hop, lacking = size - held * hop;
    const expr later = slice(x, -2, more, rows + more);
    x = concat(-1, slice(x, -2, 0, rows),
               slice(later, -1, first, first + (lacking < more * hop ? lacking : more * hop)));
    held += more;
  }
  return size < hop ? slice(x, -1, 0, size) : x;
}

/// What framed takes apart, added up: [..., frames, size] -> [..., (frames - 1) * hop + size].
constexpr expr overlapped(expr x, int size, int hop) {
  const dim frames = x.size(-2);
  const int parts = (size + hop - 1) / hop;
  if (parts * hop > size) x = pad(x, -1, 0, parts * hop - size);
  // The second half of each row goes to a later one, until a row is of one stretch.
  for (int held = parts; held > 1;) {
    const int half = (held + 1) / 2;
    const expr first = slice(x, -1, 0, half * hop);
    expr second = slice(x, -1, half * hop, held * hop);
    if (held < 2 * half) second = pad(second, -1, 0, hop);
    x = pad(first, -2, 0, half) + pad(second, -2, half, 0);
    held = half;
  }
  return slice(joined(x), -1, 0, (frames - 1) * hop + size);
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

/// What the first `rows` samples of a frame are multiplied with, which lie from `first` on among the points of the
/// transform: the window and the cosines, and the window and the sines, [rows, size / 2 + 1] each.
constexpr std::array<expr, 2> transform_tables(expr x, const stft_options& o, int first, int rows,
                                               bool symmetric) {
  const expr at = counted_down(x, rows), angle = angle_of((at + first) * counted(x, o.size / 2 + 1), o.size),
             window = window_at(at, o.window, o.width, symmetric);
  return {cos(angle) * window, sin(angle) * -window};
}

/// Frames [..., frames, width] transformed.
constexpr stft_result transformed(expr frames, const stft_options& o, int first, bool symmetric) {
  const int bins = o.size / 2 + 1, half = o.width / 2, pairs = (o.width - 1) / 2;
  const bool has_mirror = !symmetric && o.window != povey && 2 * first == o.size - o.width && pairs > 0;
  const auto steps = steps_of(frames, o.size, 2 * bins * (has_mirror ? half + 1 : o.width) / o.size);
  if (steps.first > 1) {
    expr x = frames * window_at(counted(frames, o.width), o.window, o.width, symmetric);
    if (o.width < o.size) x = pad(x, -1, first, o.size - o.width - first);
    const auto [real, imag] = steps.forward(x);
    return {real, imag};
  }
  if (!has_mirror) {
    const auto [cosines, sines] = transform_tables(frames, o, first, o.width, symmetric);
    const expr both = matmul(frames, concat(-1, cosines, sines));
    return {slice(both, -1, 0, bins), slice(both, -1, bins, 2 * bins)};
  }
  // Sample n and sample width - n meet one cosine and opposite sines: their sum and their difference take half of the products.
  const expr front = slice(frames, -1, 0, half + 1),
             back = pad(reverse(slice(frames, -1, -pairs, o.width), -1), -1, 1, half - pairs);
  const auto [cosines, sines] = transform_tables(frames, o, first, half + 1, symmetric);
  return {matmul(front + back, cosines), matmul(front - back, sines)};
}

/// Frames [..., frames, width] of a spectrum, transformed back and windowed once more.
constexpr expr transformed_back(const stft_result& spectrum, const stft_options& o, int first, expr window) {
  const auto [real, imag] = spectrum;
  const int bins = o.size / 2 + 1;
  // Each frequency but the first, and the last of an even size, stands for its negative one, too.
  const auto share = [&](expr bin) {
    return where(bin == 0.0 || 2 * bin == 1.0 * o.size, 1.0 / o.size, 2.0 / o.size);
  };
  const auto steps = steps_of(real, o.size, 2 * bins * o.width / o.size);
  if (steps.first > 1) {
    const expr each = share(counted(real, bins));
    const expr frames = steps.transposed({real * each, imag * each});
    return (o.width < o.size ? slice(frames, -1, first, first + o.width) : frames) * window;
  }
  const expr bin = counted_down(real, bins), angle = angle_of(bin * (counted(real, o.width) + first), o.size),
             each = share(bin) * window;
  return matmul(concat(-1, real, imag), concat(0, cos(angle) * each, sin(angle) * -each));
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
  const int first =
      (options.size - options.width) / 2; // zeros of the window, whose samples count for nothing
  if (options.width < options.size) {
    const dim samples = x.size(-1);
    x = slice(x, -1, first, samples - (options.size - options.width - first));
  }
  return detail::transformed(detail::framed(x, options.width, options.hop), options, first, false);
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
  const int bins = options.size / 2 + 1, first = (options.size - options.width) / 2;
  if (real.rank() < 2 || !(g.shape_of(real) == g.shape_of(imag)) || !(real.size(-1) == dim(bins)))
    return g.fail(379, at, word, ": expected real and imaginary parts [..., frames, ", bins, "], found ",
                  real, " and ", imag);
  const reported_at user(real, at.as(word));
  const expr window =
      detail::window_at(detail::counted(real, options.width), options.window, options.width, false);
  const expr frames = detail::transformed_back(spectrum, options, first, window);
  const dim count = real.size(-2);
  const auto overlapped = [&](expr of_frames) {
    return detail::overlapped(of_frames, options.width, options.hop);
  };
  const expr windows = overlapped(broadcast(window * window, {count, options.width}));
  const expr y = overlapped(frames) / max(windows, 1e-11);
  if (!options.centre)
    return first == 0 && options.width == options.size
               ? y
               : pad(y, -1, first, options.size - options.width - first);
  const int begin = options.size / 2 - first;
  return slice(y, -1, begin, (count - 1) * options.hop + (options.size - options.size / 2 - first));
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::frame_window, core::hamming, core::hann, core::istft, core::povey, core::rectangular, core::stft,
    core::stft_options, core::stft_result;
} // namespace fovea
