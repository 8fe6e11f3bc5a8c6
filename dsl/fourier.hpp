#pragma once

#include <numbers>

#include <fovea/dsl/frames.hpp>

namespace fovea::core::detail {

/// 0, 1, ... as float32 [length, 1], or [length].
constexpr expr counted_down(expr x, int length) { return to_float(unsqueeze(range(x, length), 1)); }
constexpr expr counted(expr x, int length) { return to_float(range(x, length)); }

/// The cosines of 2 pi i / points, i of 0 to points - 1, and behind them the sines: [2 points]. Angles are at most an
/// eighth of a turn, where float32 holds them best, beside a number of quarters.
constexpr expr turns_of(expr x, int points) {
  const expr i = counted(x, points), quarters = floor(i * (4.0 / points) + 0.5);
  const expr angle = (i - quarters * (points / 4.0)) * (2 * std::numbers::pi / points);
  const expr c = cos(angle), s = sin(angle);
  const expr is_odd = quarters == 1.0 || quarters == 3.0;
  const expr sign_of_c = where(quarters == 1.0 || quarters == 2.0, -1.0, 1.0),
             sign_of_s = where(quarters == 2.0 || quarters == 3.0, -1.0, 1.0);
  return concat(0, where(is_odd, s, c) * sign_of_c, where(is_odd, c, s) * sign_of_s);
}

/// op::stft and op::stft_transposed, which are each other's gradient:
///   stft             rows [..., stretches, hop] -> [..., frames, 2 bins]:
///     y[t, k] = sum over n of window[n] x[t hop + n] cos(2 pi k (n + first) / points), and behind these the sums with
///     -sin, x being the rows one behind the other
///   stft_transposed  back: each y[t, k] times its cosine or -sine and window[n], added up at t hop + n
/// Operands: x, window [width], turns [2 points] as turns_of gives them.
constexpr expr transformed(op kind, expr x, expr window, expr turns, const framing& f) {
  if (!x.valid() || !window.valid() || !turns.valid()) return {x.owner};
  graph& g = *x.owner;
  sliding_window w;
  w.size[1] = f.stretches();
  const int index = g.add_window(w, g.latest, word_of(kind));
  if (index < 0) return {&g};
  const bool back = is_transposed(kind);
  shape s = g.shape_of(x);
  s[-2] = g.intern(x.size(-2) + (back ? f.stretches() - 1 : 1 - f.stretches()));
  s[-1] = g.intern(back ? f.hop : 2 * f.bins());
  return g.add(
      {.kind = kind, .shape = s, .settings = {.window = {.index = index, .first = f.first}}, .at = g.latest},
      x, window, turns);
}

} // namespace fovea::core::detail
