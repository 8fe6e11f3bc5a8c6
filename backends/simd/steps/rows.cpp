#include <algorithm>
#include <cmath>
#include <string>

#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>
#include <fovea/base/error.hpp>

namespace fovea::core::simd {

namespace {

/// An axis between what lies outside and inside of it.
struct around {
  size_t outer, count, inner;
  around(const context& c, const shape& s, int axis)
      : outer(c.elements(s, 0, axis)), count(c.size(s[axis])), inner(c.elements(s, axis + 1, s.rank)) {}
};

} // namespace

void check_numbers(const node& n, const char* what, std::span<const std::int32_t> numbers, size_t end) {
  for (const std::int32_t i : numbers)
    if (i < 0 || static_cast<size_t>(i) >= end) {
      sentence where;
      where << n.at;
      throw error(std::string(where.text) + ": " + word_of(n) + ": expected " + what + " from 0 to " +
                  std::to_string(static_cast<std::int64_t>(end) - 1) + ", found " + std::to_string(i));
    }
}

void run_norm(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const norm_args args{.x = c.value(c.graph.operand(s.node, 0)),
                       .out = c.result(s.node),
                       .rows = c.rows(n.shape),
                       .width = c.size(n.shape[-1]),
                       .weight = n.operand_count > 1 ? c.value(c.graph.operand(s.node, 1)) : nullptr,
                       .bias = n.operand_count > 2 ? c.value(c.graph.operand(s.node, 2)) : nullptr,
                       .epsilon = static_cast<float>(n.settings.norm.epsilon)};
  c.run(n.kind == op::layer_norm ? *c.kernels.layer_norm : *c.kernels.rms_norm, args);
}

void run_norm_gradient(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const int x = c.graph.operand(s.node, 0);
  norm_gradient_args args{.x = c.value(x),
                          .d = c.value(c.graph.operand(s.node, 1)),
                          .weight = n.operand_count > 2 ? c.value(c.graph.operand(s.node, 2)) : nullptr,
                          .out = c.result(s.node),
                          .sums = c.slots[s.temporary[0]],
                          .rows = c.rows(c.shape_of(x)),
                          .width = c.size(c.shape_of(x)[-1]),
                          .epsilon = static_cast<float>(n.settings.norm.epsilon)};
  constexpr size_t fewest = 8; // rows in a part
  args.part = std::max(fewest, (args.rows + norm_gradient_parts - 1) / norm_gradient_parts);
  const auto& kernel =
      n.kind == op::layer_norm_gradient ? *c.kernels.layer_norm_gradient : *c.kernels.rms_norm_gradient;
  c.run(kernel, args);
  const reduce_args parts{.x = args.sums,
                          .out = args.out + args.rows * args.width,
                          .outer = 1,
                          .count = kernel.tasks(args),
                          .inner = 2 * args.width};
  c.kernels.reduce->run(parts, 0, c.kernels.reduce->tasks(parts));
}

void run_group_norm(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const size_t width = c.size(n.shape[-1]), groups = static_cast<size_t>(n.settings.norm.groups),
               each = width / groups;
  const size_t batch = n.shape.rank > 1 ? c.size(n.shape[0]) : 1,
               positions = c.elements(n.shape) / width / batch;
  const float* x = c.value(c.graph.operand(s.node, 0));
  const float* weight = n.operand_count > 1 ? c.value(c.graph.operand(s.node, 1)) : nullptr;
  const float* bias = n.operand_count > 2 ? c.value(c.graph.operand(s.node, 2)) : nullptr;
  float* out = c.result(s.node);
  c.run(batch * groups, [&](size_t first, size_t last, size_t) {
    for (size_t task = first; task < last; ++task) {
      const size_t from = task / groups * positions * width, group = task % groups * each;
      double sum = 0, squares = 0;
      for (size_t p = 0; p < positions; ++p)
        for (size_t j = group; j < group + each; ++j) sum += static_cast<double>(x[from + p * width + j]);
      const double count = static_cast<double>(positions * each), mean = sum / count;
      for (size_t p = 0; p < positions; ++p)
        for (size_t j = group; j < group + each; ++j) {
          const double d = static_cast<double>(x[from + p * width + j]) - mean;
          squares += d * d;
        }
      const double scale = 1 / std::sqrt(squares / count + n.settings.norm.epsilon);
      for (size_t p = 0; p < positions; ++p)
        for (size_t j = group; j < group + each; ++j) {
          const size_t i = from + p * width + j;
          const double y = (static_cast<double>(x[i]) - mean) * scale;
          out[i] = static_cast<float>(weight == nullptr
                                          ? y
                                          : y * static_cast<double>(weight[j]) +
                                                (bias == nullptr ? 0.0 : static_cast<double>(bias[j])));
        }
    }
  });
}

void run_batch_norm(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const size_t width = c.size(n.shape[-1]);
  const auto operand = [&](int k) { return c.value(c.graph.operand(s.node, k)); };
  const float *x = operand(0), *weight = operand(1), *bias = operand(2), *mean = operand(3),
              *variance = operand(4);
  float* out = c.result(s.node);
  const auto epsilon = static_cast<float>(n.settings.norm.epsilon);
  c.run(c.rows(n.shape), [&](size_t first, size_t last, size_t) {
    for (size_t i = first; i < last; ++i)
      for (size_t j = 0; j < width; ++j)
        out[i * width + j] =
            (x[i * width + j] - mean[j]) / std::sqrt(variance[j] + epsilon) * weight[j] + bias[j];
  });
}

void run_softmax(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const around a(c, n.shape, n.settings.along.axis);
  const softmax_args args{.x = c.value(c.graph.operand(s.node, 0)),
                          .out = c.result(s.node),
                          .outer = a.outer,
                          .count = a.count,
                          .inner = a.inner};
  c.run(n.kind == op::softmax ? *c.kernels.softmax : *c.kernels.log_softmax, args);
}

void run_cross_entropy(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const bool gradient = n.kind == op::cross_entropy_gradient;
  const int x = c.graph.operand(s.node, 0);
  const cross_entropy_args args{.x = c.value(x),
                                .targets = c.integers(c.graph.operand(s.node, 1)),
                                .d = gradient ? c.value(c.graph.operand(s.node, 2)) : nullptr,
                                .out = c.result(s.node),
                                .rows = c.rows(c.shape_of(x)),
                                .classes = c.size(c.shape_of(x)[-1]),
                                .smoothing = static_cast<float>(n.settings.loss.smoothing)};
  c.run(gradient ? *c.kernels.cross_entropy_gradient : *c.kernels.cross_entropy, args);
}

void run_reduce(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const int from = c.graph.operand(s.node, 0);
  const around a(c, c.shape_of(from), n.settings.along.axis);
  const reduce_args args{.by = n.kind,
                         .x = c.value(from),
                         .out = c.result(s.node),
                         .outer = a.outer,
                         .count = a.count,
                         .inner = a.inner};
  c.run(n.kind == op::cumsum ? *c.kernels.cumsum : *c.kernels.reduce, args);
}

void run_argmax(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const int from = c.graph.operand(s.node, 0);
  const around a(c, c.shape_of(from), n.settings.along.axis);
  const float* x = c.value(from);
  auto* out = reinterpret_cast<std::int32_t*>(c.result(s.node));
  // Columns side by side, so that memory is read along its rows.
  constexpr size_t strip = 64;
  c.run(a.outer, [&](size_t first, size_t last, size_t) {
    float largest[strip];
    for (size_t o = first; o < last; ++o)
      for (size_t i = 0; i < a.inner; i += strip) {
        const size_t columns = std::min(strip, a.inner - i);
        const float* row = x + o * a.count * a.inner + i;
        std::int32_t* best = out + o * a.inner + i;
        std::copy_n(row, columns, largest);
        std::fill_n(best, columns, 0);
        for (size_t k = 1; k < a.count; ++k)
          for (size_t j = 0; j < columns; ++j) {
            const float value = row[k * a.inner + j];
            const bool larger = value > largest[j];
            largest[j] = larger ? value : largest[j];
            best[j] = larger ? static_cast<std::int32_t>(k) : best[j];
          }
      }
  });
}

void run_gather(context& c, const step& s) {
  const node& n = c.graph.at(s.node);
  const int table = c.graph.operand(s.node, 0), ids = c.graph.operand(s.node, 1);
  const shape& rows = c.shape_of(table);
  const std::int32_t* id = c.integers(ids);
  const size_t count = c.elements(c.shape_of(ids)), size = c.size(rows[0]);
  // Those of inputs were checked before the call where the table's size is known then, positions always.
  const op made_by = c.graph.at(ids).kind;
  if (made_by != op::range && (made_by != op::input || !c.graph.is_number(rows[0])))
    check_numbers(n, "ids", {id, count}, size);
  gather_args args{.table = nullptr,
                   .width = c.elements(rows, 1, rows.rank),
                   .rows = count,
                   .ids = id,
                   .out = c.result(s.node)};
  args.out_stride = args.width;
  // What learns so has rounded panels, and its values beside them.
  if (const int b = c.plan.base[table]; c.graph.at(b).kind == op::parameter && c.rounded == nullptr) {
    const packed_panels& packed = c.packed(b, false);
    args.table = packed.data, args.format = packed.format;
  }
  args.paneled = args.table != nullptr;
  if (!args.paneled) args.table = c.value(table);
  c.run(args.format == weight_format::f32 ? *c.kernels.gather : *c.kernels.gather_in_format, args);
}

void run_range(context& c, const step& s) {
  auto* out = reinterpret_cast<std::int32_t*>(c.result(s.node));
  const size_t count = c.elements(c.shape_of(s.node));
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<std::int32_t>(i);
}

} // namespace fovea::core::simd
