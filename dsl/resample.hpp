#pragma once

#include <fovea/dsl/stft.hpp>

namespace fovea::core {

struct resample_options {
  int from = 0, to = 0;   // samples a second
  int crossings = 6;      // zeros of the sinc on each side of its middle: more are sharper
  double roll_off = 0.99; // the highest frequency that stays, of the highest that can
};

/// A waveform at another rate, by a sinc under half a wave of a squared cosine (Smith and Gossett 1984), as
/// torchaudio.functional.resample gives it. [..., T] -> [..., T * to / from, rounded up].
constexpr expr resample(expr x, resample_options options,
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  constexpr const char* word = "resample";
  constexpr int most = 1024; // of each rate without common factors: a filter for each pair of places
  if (!detail::is_waveform(x, 1, word, at)) return {x.owner};
  graph& g = *x.owner;
  if (options.from < 1 || options.to < 1 || options.crossings < 1 ||
      !(options.roll_off > 0 && options.roll_off <= 1))
    return g.fail(382, at, word,
                  ": expected .from, .to and .crossings of at least 1, and a .roll_off above 0 ",
                  "of at most 1; found ", options.from, ", ", options.to, ", ", options.crossings, " and ",
                  options.roll_off);
  const int common = static_cast<int>(detail::common_divisor(options.from, options.to)),
            from = options.from / common, to = options.to / common;
  if (from > most || to > most)
    return g.fail(383, at, word, ": the rates are as ", from, " to ", to, ", expected at most ", most,
                  " each; round one of them");
  if (from == to) return x;
  const reported_at user(x, at.as(word));
  const double cut_off = (from < to ? from : to) * options.roll_off; // of the rates so divided
  const double reach = options.crossings * from / cut_off;
  const int before = static_cast<int>(reach) + (static_cast<int>(reach) < reach ? 1 : 0),
            size = 2 * before + from;
  // From each sample of a window to each of the `to` samples that begin with its middle.
  const expr distance = (detail::counted_down(x, size) - before) * to - detail::counted(x, to) * from;
  const expr t = max(min(distance * (cut_off / (static_cast<double>(from) * to)), 1.0 * options.crossings),
                     -1.0 * options.crossings);
  const expr angle = t * std::numbers::pi, wave = cos(angle * (0.5 / options.crossings));
  const expr sinc = where(t == 0.0, 1.0, sin(angle) / where(t == 0.0, 1.0, angle));
  const expr filters = sinc * (wave * wave) * (cut_off / from);

  const dim samples = x.size(-1), frames = samples / from + 1;
  const expr y = matmul(detail::framed(pad(x, -1, before, before + from), size, from), filters);
  if (!y.valid()) return y;
  shape s = g.shape_of(x);
  s[-1] = g.intern(frames * to);
  return slice(detail::reshape_to(y, s, at), -1, 0, (samples * to + (from - 1)) / from);
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::resample, core::resample_options;
} // namespace fovea
