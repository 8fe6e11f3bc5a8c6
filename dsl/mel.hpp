#pragma once

#include <cstdint>
#include <numbers>

#include <fovea/dsl/reduce.hpp>
#include <fovea/dsl/stft.hpp>

namespace fovea::core {

/// How high a frequency sounds, in mels: `slaney`, straight up to 1000 Hz and a logarithm above (Slaney 1998),
/// or `htk`, 2595 log10(1 + Hz / 700) (O'Shaughnessy 1987).
enum class mel_scale : std::uint8_t { slaney, htk };
inline constexpr mel_scale slaney = mel_scale::slaney, htk = mel_scale::htk;

struct mel_options {
  int mels = 80;
  double rate = 16000; // samples a second
  double low = 0;      // Hz, where the first filter begins
  double high = 0;     // Hz, where the last one ends; 0: half of the rate
  mel_scale scale = slaney;
  bool normalise = true; // filters of area 1 over Hz (Slaney's norm); false: of height 1
  bool in_mels = false;  // filters are triangles over mels, as Kaldi's, rather than over Hz
};

namespace detail {

constexpr double natural_log_of_10 = std::numbers::ln10, natural_log_of_6_4 = 1.8562979903656263;

constexpr expr mels_of(expr hz, mel_scale scale) {
  if (scale == htk) return log(hz * (1 / 700.0) + 1.0) * (2595 / natural_log_of_10);
  return where(hz < 1000.0, hz * (3 / 200.0),
               log(max(hz, 1000.0) * (1 / 1000.0)) * (27 / natural_log_of_6_4) + 15.0);
}
constexpr expr hz_of(expr mels, mel_scale scale) {
  if (scale == htk) return (exp(mels * (natural_log_of_10 / 2595)) - 1.0) * 700.0;
  return where(mels < 15.0, mels * (200 / 3.0), exp((mels - 15.0) * (natural_log_of_6_4 / 27)) * 1000.0);
}

} // namespace detail

/// What each of `bins` frequencies, from 0 to half of the rate, counts in each mel: triangles that overlap by
/// half, their corners at equal distances in mels (Davis and Mermelstein 1980). x says which graph it belongs
/// to. [bins, mels], for matmul(stft(x).power(), mel_filters(x, bins)).
constexpr expr mel_filters(expr x, int bins, mel_options options = {},
                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "mel_filters";
  if (x.owner == nullptr || !x.owner->usable(x, at, word)) return {x.owner};
  graph& g = *x.owner;
  const double half = options.rate / 2, high = options.high == 0 ? half : options.high;
  if (bins < 2 || options.mels < 1)
    return g.fail(380, at, word, ": expected at least 2 bins and 1 of .mels, found ", bins, " and ",
                  options.mels);
  if (!(is_finite(options.rate) && options.low >= 0 && options.low < high && high <= half))
    return g.fail(381, at, word, ": expected a .low of at least 0, and a .high above it of at most ", half,
                  ", half of the rate; found ", options.low, " and ", high);
  const reported_at user(x, at.as(word));
  const mel_scale scale = options.scale;
  const expr lowest = detail::mels_of(constant(x, options.low), scale),
             highest = detail::mels_of(constant(x, high), scale);
  const auto corner = [&](int of_filter) { // in mels
    const expr share = (detail::counted(x, options.mels) + of_filter) * (1.0 / (options.mels + 1));
    return lowest + (highest - lowest) * share;
  };
  const auto scaled = [&](expr mels) { return options.in_mels ? mels : detail::hz_of(mels, scale); };
  const expr hz = detail::counted_down(x, bins) * (half / (bins - 1)),
             place = options.in_mels ? detail::mels_of(hz, scale) : hz;
  const expr begin = scaled(corner(0)), top = scaled(corner(1)), end = scaled(corner(2));
  const expr triangles = max(min((place - begin) / (top - begin), (end - place) / (end - top)), 0.0);
  if (!options.normalise) return triangles;
  return triangles * (2.0 / (detail::hz_of(corner(2), scale) - detail::hz_of(corner(0), scale)));
}

struct log_mel_options {
  int size = 400; // points of the transform
  int hop = 160;  // samples from one frame to the next
  int mels = 80;
  double rate = 16000; // samples a second
};

/// What Whisper hears (Radford et al. 2023, section 2.2): logarithms to the base 10 of the energies in mels of
/// centred frames, the last one left out, none more than 8 below the largest of its waveform, within about -1
/// and 1: (log10 + 4) / 4. x [..., T] of samples from -1 to 1 -> [..., T / hop, mels]. The largest is of all
/// samples that are given: pad as in training, for Whisper with zeros to 30 seconds.
constexpr expr log_mel(expr x, log_mel_options options = {},
                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "log_mel";
  if (x.owner == nullptr || !x.owner->usable(x, at, word)) return {x.owner};
  const reported_at user(x, at.as(word));
  const expr power = stft(x, {.size = options.size, .hop = options.hop}).power();
  if (!power.valid()) return power;
  const expr filters = mel_filters(x, options.size / 2 + 1, {.mels = options.mels, .rate = options.rate});
  const expr energies = matmul(slice(power, -2, 0, -1), filters);
  const expr logs = log(max(energies, 1e-10)) * (1 / detail::natural_log_of_10);
  const expr largest = max_over(max_over(logs, -1, {.keep = true}), -2, {.keep = true});
  return (max(logs, largest - 8.0) + 4.0) * 0.25;
}

struct fbank_options {
  int mels = 80;
  int width = 400; // samples of a frame, which is filled up with zeros to the next power of two
  int hop = 160;   // samples from one frame to the next
  double rate = 16000;
  double low = 20, high = 0; // Hz, where filters begin and end; 0: half of the rate
  double pre_emphasis = 0.97;
  frame_window window = povey;
};

/// Kaldi's filter banks (Povey et al. 2011), as torchaudio.compliance.kaldi.fbank has them without dither: the
/// mean of each frame taken off, each sample less 0.97 of the one before it, a window, energies in mels,
/// logarithms. Frames lie within x. [..., T] -> [..., (T - width) / hop + 1, mels]. Kaldi's samples are those
/// of 16 bits, as 32768 * x is of x from -1 to 1.
constexpr expr fbank(expr x, fbank_options options = {},
                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "fbank";
  constexpr double least = 1.1920928955078125e-07; // as Kaldi has it: the distance from 1 to the next float32
  if (!detail::is_float(x, at, word)) return {x.owner};
  graph& g = *x.owner;
  stft_options whole{.size = 2, .hop = options.hop, .window = options.window, .width = options.width};
  while (whole.size < options.width && whole.size < 4096) whole.size *= 2;
  if (!detail::are_possible(whole, g, word, at) || !detail::is_waveform(x, whole.width, word, at))
    return {&g};
  const reported_at user(x, at.as(word));
  const expr cut = detail::framed(x, whole.width, whole.hop), frames = cut - mean(cut, -1, {.keep = true});
  const expr before = concat(-1, slice(frames, -1, 0, 1), slice(frames, -1, 0, -1));
  const expr window = detail::window_at(detail::counted(x, whole.width), whole.window, whole.width, true);
  const expr power = detail::spectrum_of(frames - options.pre_emphasis * before, window,
                                         {whole.width, whole.width, whole.size})
                         .power();
  const expr filters = mel_filters(x, whole.size / 2 + 1,
                                   {.mels = options.mels,
                                    .rate = options.rate,
                                    .low = options.low,
                                    .high = options.high,
                                    .scale = htk,
                                    .normalise = false,
                                    .in_mels = true});
  return log(max(matmul(power, filters), least));
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::fbank, core::fbank_options, core::htk, core::log_mel, core::log_mel_options, core::mel_filters,
    core::mel_options, core::mel_scale, core::slaney;
} // namespace fovea
