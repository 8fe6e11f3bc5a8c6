#include <fovea/backends/reference/convolution.hpp>

#include <algorithm>
#include <limits>

namespace fovea::core::reference_ops {

namespace {

/// A value seen as [planes, height, width, features]; over time, the height is 1.
struct plane_layout {
  std::int64_t planes = 1, height = 1, width, features;

  plane_layout(const array_shape& shape, int axes)
      : width(static_cast<std::int64_t>(shape[shape.size() - 2])),
        features(static_cast<std::int64_t>(shape.back())) {
    const std::size_t leading = shape.size() - 1 - static_cast<std::size_t>(axes);
    for (std::size_t i = 0; i < leading; ++i) planes *= static_cast<std::int64_t>(shape[i]);
    if (axes == 2) height = static_cast<std::int64_t>(shape[leading]);
  }
  bool inside(std::int64_t y, std::int64_t x) const { return y >= 0 && y < height && x >= 0 && x < width; }
  std::size_t at(std::int64_t plane, std::int64_t y, std::int64_t x, std::int64_t feature) const {
    return static_cast<std::size_t>(((plane * height + y) * width + x) * features + feature);
  }
};

/// Calls f(plane, y, x, place y, place x, tap) for every place of a sliding window and every position y, x
/// that the window has there, the padding included.
template <class F>
void slide(const sliding_window& w, const plane_layout& places, F f) {
  for (std::int64_t plane = 0; plane < places.planes; ++plane)
    for (std::int64_t py = 0; py < places.height; ++py)
      for (std::int64_t px = 0; px < places.width; ++px)
        for (int ky = 0; ky < w.size[0]; ++ky)
          for (int kx = 0; kx < w.size[1]; ++kx)
            f(plane, py * w.stride[0] + ky * w.dilation[0] - w.before[0],
              px * w.stride[1] + kx * w.dilation[1] - w.before[1], py, px, ky * w.size[1] + kx);
}

array biased(const array_shape& shape, const array* bias) {
  array y = filled(shape, 0);
  if (bias != nullptr) y += *bias;
  return y;
}

} // namespace

array convolution(const array& x, const array& weight, const array* bias, const sliding_window& window,
                  const array_shape& shape) {
  array result = biased(shape, bias);
  const plane_layout from(shape_of(x), window.axes), to(shape, window.axes);
  const std::int64_t in = from.features / window.groups, out = to.features / window.groups,
                     taps = window.taps();
  slide(window, to, [&](auto plane, auto y, auto t, auto py, auto px, auto tap) {
    if (!from.inside(y, t)) return;
    for (std::int64_t o = 0; o < to.features; ++o)
      for (std::int64_t i = 0; i < in; ++i)
        result.data()[to.at(plane, py, px, o)] +=
            weight.data()[(o * in + i) * taps + tap] * x.data()[from.at(plane, y, t, o / out * in + i)];
  });
  return result;
}

array transposed_convolution(const array& x, const array& weight, const array* bias,
                             const sliding_window& window, const array_shape& shape) {
  array result = biased(shape, bias);
  const plane_layout from(shape_of(x), window.axes), to(shape, window.axes);
  const std::int64_t in = from.features / window.groups, out = to.features / window.groups,
                     taps = window.taps();
  slide(window, from, [&](auto plane, auto y, auto t, auto py, auto px, auto tap) {
    if (!to.inside(y, t)) return;
    for (std::int64_t i = 0; i < from.features; ++i)
      for (std::int64_t o = 0; o < out; ++o)
        result.data()[to.at(plane, y, t, i / in * out + o)] +=
            weight.data()[(i * out + o) * taps + tap] * x.data()[from.at(plane, py, px, i)];
  });
  return result;
}

array max_pool(const array& x, const sliding_window& window, const array_shape& shape) {
  array result = filled(shape, -std::numeric_limits<double>::infinity());
  const plane_layout from(shape_of(x), window.axes), to(shape, window.axes);
  slide(window, to, [&](auto plane, auto y, auto t, auto py, auto px, auto) {
    if (!from.inside(y, t)) return;
    for (std::int64_t i = 0; i < to.features; ++i) {
      double& largest = result.data()[to.at(plane, py, px, i)];
      largest = std::max(largest, x.data()[from.at(plane, y, t, i)]);
    }
  });
  return result;
}

array avg_pool(const array& x, const sliding_window& window, bool count_padding, const array_shape& shape) {
  array result = filled(shape, 0), counts = filled(shape, 0);
  const plane_layout from(shape_of(x), window.axes), to(shape, window.axes);
  slide(window, to, [&](auto plane, auto y, auto t, auto py, auto px, auto) {
    const bool inside = from.inside(y, t);
    const bool padding = y < from.height + window.after[0] && t < from.width + window.after[1];
    for (std::int64_t i = 0; i < to.features; ++i) {
      const std::size_t place = to.at(plane, py, px, i);
      if (inside) result.data()[place] += x.data()[from.at(plane, y, t, i)];
      if (inside || (count_padding && padding)) counts.data()[place] += 1;
    }
  });
  return result / counts;
}

array convolution_weight_gradient(const array& x, const array& dy, const sliding_window& window,
                                  const array_shape& shape) {
  array result = filled(shape, 0);
  const plane_layout from(shape_of(x), window.axes), to(shape_of(dy), window.axes);
  const std::int64_t in = from.features / window.groups, out = to.features / window.groups,
                     taps = window.taps();
  slide(window, to, [&](auto plane, auto y, auto t, auto py, auto px, auto tap) {
    if (!from.inside(y, t)) return;
    for (std::int64_t o = 0; o < to.features; ++o)
      for (std::int64_t i = 0; i < in; ++i)
        result.data()[static_cast<std::size_t>((o * in + i) * taps + tap)] +=
            dy.data()[to.at(plane, py, px, o)] * x.data()[from.at(plane, y, t, o / out * in + i)];
  });
  return result;
}

array max_pool_gradient(const array& x, const array& dy, const sliding_window& window) {
  array result = filled(shape_of(x), 0);
  const plane_layout from(shape_of(x), window.axes), to(shape_of(dy), window.axes);
  std::vector<std::size_t> chosen(dy.size(), x.size());
  slide(window, to, [&](auto plane, auto y, auto t, auto py, auto px, auto) {
    if (!from.inside(y, t)) return;
    for (std::int64_t i = 0; i < to.features; ++i) {
      std::size_t& best = chosen[to.at(plane, py, px, i)];
      const std::size_t here = from.at(plane, y, t, i);
      if (best == x.size() || x.data()[here] > x.data()[best]) best = here;
    }
  });
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i] != x.size()) result.data()[chosen[i]] += dy.data()[i];
  return result;
}

array avg_pool_gradient(const array& dy, const sliding_window& window, bool count_padding,
                        const array_shape& shape) {
  array result = filled(shape, 0), counts = filled(shape_of(dy), 0);
  const plane_layout from(shape, window.axes), to(shape_of(dy), window.axes);
  for (const bool counting : {true, false})
    slide(window, to, [&](auto plane, auto y, auto t, auto py, auto px, auto) {
      const bool inside = from.inside(y, t);
      const bool padding = y < from.height + window.after[0] && t < from.width + window.after[1];
      for (std::int64_t i = 0; i < to.features; ++i) {
        const std::size_t place = to.at(plane, py, px, i);
        if (counting)
          counts.data()[place] += inside || (count_padding && padding) ? 1 : 0;
        else if (inside)
          result.data()[from.at(plane, y, t, i)] += dy.data()[place] / counts.data()[place];
      }
    });
  return result;
}

} // namespace fovea::core::reference_ops
