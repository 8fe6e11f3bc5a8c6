#pragma once

#include <cstdint>

namespace fovea::core {

/// Where a convolution or a pooling looks: windows of `size` positions, `dilation` apart, that move by
/// `stride` over an axis with `before` and `after` positions of padding around it. [0] is the height, [1] the
/// width; over time only [1] counts. A graph keeps each once; nodes have its number.
struct sliding_window {
  static constexpr int largest = 32767; // of every number, so that no arithmetic on them overflows

  int axes = 1; // 1: over time, 2: over planes
  int size[2] = {1, 1}, stride[2] = {1, 1}, dilation[2] = {1, 1}, before[2] = {0, 0}, after[2] = {0, 0};
  int groups = 1; // of features, each convolved by itself

  /// Positions from the first that a window sees to the last, on one axis.
  constexpr int span(int axis) const { return dilation[axis] * (size[axis] - 1) + 1; }
  constexpr int padding(int axis) const { return before[axis] + after[axis]; }
  /// Whether windows over time fall into tiles that take fewer multiplications (Winograd 1980): those of few
  /// positions, next to each other. A tile sees later positions, which change last digits: what reaches only back
  /// falls into none.
  constexpr bool falls_into_time_tiles() const {
    return axes == 1 && groups == 1 && stride[1] == 1 && dilation[1] == 1 && size[1] >= 3 && size[1] <= 5 &&
           (before[1] == 0 || after[1] > 0);
  }
  /// Whether windows of planes fall into such tiles: squares that overlap. By strides of more than 2 the sum of a window
  /// is so short that a tile's error shows.
  constexpr bool falls_into_plane_tiles() const {
    const auto both = [](const int(&of)[2], int number) { return of[0] == number && of[1] == number; };
    const int taps = (size[0] + stride[0] - 1) / stride[0]; // squares of stride x stride positions
    return axes == 2 && groups == 1 && both(size, size[0]) && both(stride, stride[0]) && both(dilation, 1) &&
           stride[0] <= 2 && taps >= 3 && taps <= 5;
  }
  /// Positions that a window sees.
  constexpr std::int64_t taps() const { return static_cast<std::int64_t>(size[0]) * size[1]; }

  friend constexpr bool operator==(const sliding_window& a, const sliding_window& b) {
    for (int i = 0; i < 2; ++i)
      if (a.size[i] != b.size[i] || a.stride[i] != b.stride[i] || a.dilation[i] != b.dilation[i] ||
          a.before[i] != b.before[i] || a.after[i] != b.after[i])
        return false;
    return a.axes == b.axes && a.groups == b.groups;
  }
};

} // namespace fovea::core
