#pragma once

#include <cstdint>

#include <fovea/dsl/shape_words.hpp>

namespace fovea::core::detail {

/// [..., rows * columns] -> [..., rows, columns], and back.
constexpr expr taken_apart(expr x, dim rows, dim columns) {
  if (!x.valid()) return x;
  graph& g = *x.owner;
  shape s = g.shape_of(x);
  s[-1] = g.intern(rows), s.push(g.intern(columns));
  return reshape_to(x, s, g.latest);
}
constexpr expr joined(expr x) {
  if (!x.valid()) return x;
  graph& g = *x.owner;
  shape s = g.shape_of(x);
  const std::uint16_t all = g.intern(x.size(-2) * x.size(-1));
  --s.rank, s[-1] = all;
  return reshape_to(x, s, g.latest);
}

/// Where frames of a waveform lie that is taken apart into stretches of `hop` samples: frame t has the first `width`
/// samples of the stretches t, t + 1, ..., and they are those from `first` on of `points` that are transformed.
struct framing {
  int width = 0, hop = 1, points = 0, first = 0;

  constexpr int stretches() const { return (width + hop - 1) / hop; } // of a frame
  constexpr int bins() const { return points / 2 + 1; }
};

/// The waveform [..., samples] in as many stretches as frames within it reach into: [..., frames + stretches - 1, hop].
constexpr expr in_stretches(expr x, const framing& f) {
  const dim samples = x.size(-1), frames = (samples - f.width) / f.hop + 1,
            stretches = frames + (f.stretches() - 1);
  if (!(stretches * f.hop == samples)) {
    if (f.stretches() * f.hop > f.width) x = pad(x, -1, 0, f.stretches() * f.hop - f.width);
    x = slice(x, -1, 0, stretches * f.hop);
  }
  return taken_apart(x, stretches, f.hop);
}

/// The frames themselves, one behind the other: [..., T] -> [..., (T - size) / hop + 1, size].
constexpr expr framed(expr x, int size, int hop) {
  const framing f{size, hop};
  const int parts = f.stretches();
  x = in_stretches(x, f);
  if (!x.valid()) return x;
  const dim stretches = x.size(-2);
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

} // namespace fovea::core::detail
