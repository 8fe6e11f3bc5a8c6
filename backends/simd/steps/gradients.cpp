#include <algorithm>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

void run_scatter_add(context& c, const step& s) {
  const int ids = c.graph.operand(s.node, 0), rows = c.graph.operand(s.node, 1);
  const shape& table = c.shape_of(s.node);
  const size_t width = c.elements(table, 1, table.rank), count = c.elements(c.shape_of(ids));
  float* out = c.result(s.node);
  // Tasks are columns, so that a row's sum runs over its ids in order, whatever the threads.
  constexpr size_t columns_at_once = 64;
  c.run((width + columns_at_once - 1) / columns_at_once, [&](size_t first, size_t last, size_t) {
    const size_t begin = first * columns_at_once, end = std::min(last * columns_at_once, width);
    for (size_t row = 0; row < c.size(table[0]); ++row)
      std::fill(out + row * width + begin, out + row * width + end, 0.f);
    for (size_t i = 0; i < count; ++i) {
      float* to = out + static_cast<size_t>(c.integers(ids)[i]) * width;
      const float* from = c.value(rows) + i * width;
      for (size_t k = begin; k < end; ++k) to[k] += from[k];
    }
  });
}

namespace {

/// A value [..., (height,) width, features] as planes.
struct planes_of {
  size_t planes, height, width, features;
  planes_of(const context& c, const shape& s, int axes)
      : planes(c.elements(s, 0, s.rank - 1 - axes)), height(axes == 2 ? c.size(s[-3]) : 1),
        width(c.size(s[-2])), features(c.size(s[-1])) {}
  size_t line() const { return width * features; }
  size_t plane() const { return height * line(); }
};

/// The places first <= p < last at which position p * stride + offset is one of `size`.
struct places_inside {
  size_t first, last;
  places_inside(std::ptrdiff_t offset, std::ptrdiff_t stride, size_t size, size_t places) {
    const auto at = [&](std::ptrdiff_t position) {
      const std::ptrdiff_t p = position > 0 ? (position + stride - 1) / stride : 0;
      return std::min(static_cast<size_t>(p), places);
    };
    first = at(-offset);
    last = std::max(first, at(static_cast<std::ptrdiff_t>(size) - offset));
  }
};

} // namespace

/// For each tap, dy^T x over the places of each line that have a position there, line after line.
void run_convolution_weight_gradient(context& c, const step& s) {
  const sliding_window& w = c.graph.window_of(s.node);
  const int left = c.graph.operand(s.node, 0), right = c.graph.operand(s.node, 1);
  const planes_of x(c, c.shape_of(left), w.axes), dy(c, c.shape_of(right), w.axes);
  const auto groups = static_cast<size_t>(w.groups), taps = static_cast<size_t>(w.taps());
  const size_t in = x.features / groups, out = dy.features / groups;
  float* sums = c.slots[s.temporary[0]];
  std::fill_n(sums, taps * dy.features * in, 0.f);
  const turned_product_args one{.rows = out,
                                .columns = in,
                                .depth = dy.width,
                                .a_row = dy.features,
                                .b_row = static_cast<size_t>(w.stride[1]) * x.features,
                                .out_row = in,
                                .add = true};
  const size_t parts = c.kernels.turned_product->tasks(one);
  // A part of a tap's and group's product over all lines.
  const auto add_part = [&](size_t tap, size_t group, size_t part, float* scratch) {
    const auto ky = static_cast<std::ptrdiff_t>(tap) / w.size[1],
               kx = static_cast<std::ptrdiff_t>(tap) % w.size[1];
    const std::ptrdiff_t offset = kx * w.dilation[1] - w.before[1];
    const places_inside inside(offset, w.stride[1], x.width, dy.width);
    if (inside.first == inside.last) return;
    const auto position =
        static_cast<size_t>(static_cast<std::ptrdiff_t>(inside.first) * w.stride[1] + offset);
    turned_product_args line = one;
    line.depth = inside.last - inside.first;
    line.out = sums + (tap * dy.features + group * out) * in;
    for (size_t plane = 0; plane < dy.planes; ++plane)
      for (size_t py = 0; py < dy.height; ++py) {
        const std::ptrdiff_t y =
            static_cast<std::ptrdiff_t>(py) * w.stride[0] + ky * w.dilation[0] - w.before[0];
        if (y < 0 || y >= static_cast<std::ptrdiff_t>(x.height)) continue;
        line.a =
            c.value(right) + plane * dy.plane() + py * dy.line() + inside.first * dy.features + group * out;
        line.b = c.value(left) + plane * x.plane() + static_cast<size_t>(y) * x.line() +
                 position * x.features + group * in;
        c.kernels.turned_product->run(line, part, part + 1, scratch);
      }
  };
  c.run(taps * groups * parts, [&](size_t first, size_t last, size_t thread) {
    for (size_t task = first; task < last; ++task)
      add_part(task / parts / groups, task / parts % groups, task % parts, c.scratch_of(thread));
  });
  // [taps, out, in] -> [out, in, taps]
  float* result = c.result(s.node);
  for (size_t i = 0; i < dy.features * in; ++i)
    for (size_t tap = 0; tap < taps; ++tap) result[i * taps + tap] = sums[tap * dy.features * in + i];
}

scratch_floats convolution_weight_gradient_scratch(context& c, const step&) {
  return {c.kernels.turned_product->scratch({})};
}

void run_pool_gradient(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const sliding_window& w = c.graph.window_of(s.node);
  const bool largest = n.kind == op::max_pool_gradient;
  const int of_result = c.graph.operand(s.node, largest ? 1 : 0);
  const planes_of x(c, n.shape, w.axes), dy(c, c.shape_of(of_result), w.axes);
  const float *values = largest ? c.value(c.graph.operand(s.node, 0)) : nullptr, *from = c.value(of_result);
  float* to = c.result(s.node);
  // Calls f(position in x) for what a window sees of one plane.
  const auto seen = [&](size_t py, size_t px, const auto& f) {
    for (int ky = 0; ky < w.size[0]; ++ky)
      for (int kx = 0; kx < w.size[1]; ++kx) {
        const std::ptrdiff_t y = static_cast<std::ptrdiff_t>(py) * w.stride[0] + ky * w.dilation[0] -
                                 w.before[0],
                             t = static_cast<std::ptrdiff_t>(px) * w.stride[1] + kx * w.dilation[1] -
                                 w.before[1];
        f(y, t,
          y >= 0 && y < static_cast<std::ptrdiff_t>(x.height) && t >= 0 &&
              t < static_cast<std::ptrdiff_t>(x.width));
      }
  };
  const auto place_of = [&](std::ptrdiff_t y, std::ptrdiff_t t) {
    return (static_cast<size_t>(y) * x.width + static_cast<size_t>(t)) * x.features;
  };
  c.run(x.planes, [&](size_t first, size_t last, size_t) {
    for (size_t plane = first; plane < last; ++plane) {
      float* out = to + plane * x.plane();
      std::fill_n(out, x.plane(), 0.f);
      for (size_t py = 0; py < dy.height; ++py)
        for (size_t px = 0; px < dy.width; ++px) {
          const float* d = from + plane * dy.plane() + py * dy.line() + px * dy.features;
          if (largest) {
            for (size_t i = 0; i < x.features; ++i) {
              const float* in = values + plane * x.plane() + i;
              size_t best = x.plane();
              seen(py, px, [&](std::ptrdiff_t y, std::ptrdiff_t t, bool inside) {
                if (inside && (best == x.plane() || in[place_of(y, t)] > in[best])) best = place_of(y, t);
              });
              if (best != x.plane()) out[best + i] += d[i];
            }
          } else {
            float count = 0;
            seen(py, px, [&](std::ptrdiff_t y, std::ptrdiff_t t, bool inside) {
              const bool padding = y < static_cast<std::ptrdiff_t>(x.height) + w.after[0] &&
                                   t < static_cast<std::ptrdiff_t>(x.width) + w.after[1];
              if (inside || (n.settings.window.count_padding && padding)) count += 1;
            });
            seen(py, px, [&](std::ptrdiff_t y, std::ptrdiff_t t, bool inside) {
              if (!inside) return;
              for (size_t i = 0; i < x.features; ++i) out[place_of(y, t) + i] += d[i] / count;
            });
          }
        }
    }
  });
}

} // namespace fovea::core::simd
