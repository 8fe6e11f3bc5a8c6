#pragma once

#include <fovea/backends/reference/array.hpp>

namespace fovea::core::reference_ops {

/// Where frames lie in rows of `hop` samples one behind the other: frame t begins `before` rows before row t; its
/// samples are those from `first` on of the points of the transform.
struct frames_in_rows {
  std::int64_t before = 0, first = 0;
};

/// y[.., t, k] = sum over n of window[n] x[.., (t - before) hop + n] cos(2 pi k (n + first) / points), and behind these
/// the sums with -sin. x [.., rows, hop], window [width], turns [2 points]: the cosines of 2 pi i / points and behind
/// them the sines. `shape` is the result's, [.., frames, 2 bins].
array stft(const array& x, const array& window, const array& turns, const frames_in_rows& where,
           const array_shape& shape);

/// Each spectrum[.., t, k] times window[n] and its cosine or -sine, added to y[.., (t - before) hop + n].
/// `shape` is the result's, [.., rows, hop].
array transposed_stft(const array& spectrum, const array& window, const array& turns,
                      const frames_in_rows& where, const array_shape& shape);

} // namespace fovea::core::reference_ops
