#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>

#include <algorithm>

namespace fovea::core::simd {

namespace {

/// What a product step multiplies: first the parts that round the rows, then the others.
struct product_call {
  product_part parts[4];
  product_args args;
  size_t count, rounded = 0;

  product_call(context& c, const step& s)
      : args{.from_memory = c.weights_in_memory,
             .backward = c.reads_backward(s.node),
             .threads = c.pool.size()},
        count(static_cast<size_t>(s.count)) {
    product_part others[4];
    for (int i = 0; i < s.count; ++i) {
      const int root = c.plan.parts[s.first + i];
      const bool rounds = are_rounded(c, root);
      (rounds ? parts[rounded] : others[static_cast<size_t>(i) - rounded]) = part(c, root);
      rounded += rounds;
    }
    std::copy_n(others, count - rounded, parts + rounded);
  }

  product_args rounded_args() const { return of(parts, rounded); }
  product_args other_args() const { return of(parts + rounded, count - rounded); }
  /// Whether what rounds the rows is float32's product, which takes them rounded.
  bool takes_rounded() const { return rounded > 0 && !rounds_rows(parts->format); }

private:
  static int weight_of(const context& c, int id) {
    const int right = c.graph.operand(id, 1);
    return c.graph.at(right).kind == op::transpose ? c.graph.operand(right, 0) : right;
  }
  static bool are_rounded(const context& c, int root) {
    const int id = c.plan.product[root];
    if (c.plan.norm[id] >= 0) return false;
    return c.rounds(id) || rounds_rows(c.packed(weight_of(c, id), is_from_columns(c.graph, id)).format);
  }
  product_args of(const product_part* first, size_t parts_of_it) const {
    product_args some = args;
    some.parts = first, some.part_count = parts_of_it;
    return some;
  }
  product_part part(context& c, int root) {
    const int id = c.plan.product[root];
    const node& n = c.graph.at(id);
    const int left = c.graph.operand(id, 0);
    const shape& x = c.shape_of(left);
    args.a = c.value(left);
    args.rows = c.rows(x);
    args.depth = args.a_stride = c.size(x[-1]);
    product_part p;
    p.columns = p.out_stride = c.size(n.shape[-1]);
    if (c.plan.norm[id] >= 0) {
      const prepared_product normed = c.prepared(id);
      p.panels = normed.weights, p.bias = normed.bias;
    } else {
      const packed_panels& packed = c.packed(weight_of(c, id), is_from_columns(c.graph, id));
      p.panels = packed.data, p.format = packed.format;
      if (n.operand_count > 2) p.bias = c.value(c.graph.operand(id, 2));
    }
    p.out = c.result(root);
    if (c.plan.join[root] != op::none) {
      p.other = c.value(c.plan.other[root]);
      p.other_stride = p.columns;
    }
    p.act = c.plan.activation[root];
    p.join = c.plan.join[root];
    return p;
  }
};

/// What multiplies parts whose formats round the rows.
const rounding_kernel& rounding_of(const context& c, const product_args& args) {
  return sums_integers(args.parts->format) ? *c.kernels.integer_product : *c.kernels.bf16_product;
}

} // namespace

size_t multiply_scratch(const context& c, const product_args& args) {
  if (args.part_count == 0 || !rounds_rows(args.parts->format)) return 0;
  const rounding_passes* passes = rounding_of(c, args).passes;
  return passes == nullptr ? 0 : passes->scratch(args);
}

void multiply(context& c, const product_args& args, float* scratch) {
  if (args.part_count == 0) return;
  const auto run = [&](auto tasks, auto product, auto... rounded) {
    c.run(
        tasks(args), [&](size_t first, size_t last, size_t) { product(args, first, last, rounded...); },
        task_order{.backward = args.backward}, args);
  };
  if (rounds_rows(args.parts->format)) {
    const rounding_kernel& kernel = rounding_of(c, args);
    if (kernel.passes != nullptr && kernel.passes->are_faster(args)) {
      c.run(kernel.passes->round_tasks(args),
            [&](size_t first, size_t last, size_t) { kernel.passes->round(args, first, last, scratch); });
      run(kernel.passes->product_tasks, kernel.passes->product, scratch);
    } else {
      run(kernel.tasks, kernel.run);
    }
    return;
  }
  const bool decodes = std::any_of(args.parts, args.parts + args.part_count,
                                   [](const product_part& p) { return p.format != weight_format::f32; });
  const auto& kernel = decodes                              ? *c.kernels.decoded_product
                       : c.kernels.small_product != nullptr ? *c.kernels.small_product
                                                            : *c.kernels.product;
  run(kernel.tasks, kernel.run);
}

namespace {

/// A matrix rounded to bfloat16, in float32, in the given memory.
const float* in_bfloat(const context& c, const float* x, size_t rows, size_t columns, float* to) {
  c.run(*c.kernels.round_bfloats,
        bfloat_round_args{
            .x = x, .out = to, .rows = rows, .columns = columns, .x_row = columns, .out_row = columns});
  return to;
}

} // namespace

scratch_floats product_scratch(context& c, const step& s) {
  const product_call call(c, s);
  if (call.takes_rounded()) return {.shared = call.args.rows * call.args.depth};
  return {.shared = multiply_scratch(c, call.rounded_args())};
}

void run_product(context& c, const step& s) {
  const product_call call(c, s);
  product_args rounded = call.rounded_args();
  if (call.takes_rounded())
    rounded.a = in_bfloat(c, rounded.a, rounded.rows, rounded.depth, c.shared_scratch());
  multiply(c, rounded, c.shared_scratch());
  multiply(c, call.other_args(), nullptr);
}

namespace {

/// Of a matmul whose left side is a transposition that is read where it lies.
turned_product_args turned(const context& c, const step& s) {
  const int left = c.graph.operand(c.graph.operand(s.node, 0), 0), right = c.graph.operand(s.node, 1);
  const shape &x = c.shape_of(left), &y = c.shape_of(right);
  turned_product_args a{.rows = c.size(x[-1]), .columns = c.size(y[-1]), .depth = c.size(x[-2])};
  a.a = c.value(left), a.b = c.value(right), a.out = c.result(s.node), a.threads = c.pool.size();
  a.a_row = a.rows, a.b_row = a.out_row = a.columns;
  if (s.count > 1) a.sums = c.result(c.plan.parts[s.first + 1]);
  return a;
}

} // namespace

scratch_floats matmul_scratch(context& c, const step& s) {
  const int left = c.graph.operand(s.node, 0);
  if (!c.plan.viewed[left]) {
    const bool rounds = c.rounds(s.node);
    return {.shared = rounds
                          ? c.elements(c.shape_of(left)) + c.elements(c.shape_of(c.graph.operand(s.node, 1)))
                          : 0};
  }
  const turned_product_args args = turned(c, s);
  return c.rounds(s.node) ? rounded_turned_scratch(c, args)
                          : scratch_floats{c.kernels.turned_product->scratch(args)};
}

void run_matmul(context& c, const step& s) {
  if (c.plan.viewed[c.graph.operand(s.node, 0)]) {
    const turned_product_args args = turned(c, s);
    if (c.rounds(s.node))
      run_rounded_turned(c, args);
    else
      c.run(*c.kernels.turned_product, args);
    return;
  }
  const int left = c.graph.operand(s.node, 0), right = c.graph.operand(s.node, 1);
  const shape &x = c.shape_of(left), &y = c.shape_of(right), &z = c.shape_of(s.node);
  const size_t m = c.size(x[-2]), k = c.size(x[-1]), n = c.size(y[-1]);
  const size_t batches = c.elements(z, 0, z.rank - 2);
  c.work /= static_cast<std::int64_t>(batches); // of which each is shared by itself
  const float *of_left = c.value(left), *of_right = c.value(right);
  if (c.rounds(s.node)) { // of two axes
    of_left = in_bfloat(c, of_left, m, k, c.shared_scratch());
    of_right = in_bfloat(c, of_right, k, n, c.shared_scratch() + m * k);
  }
  float* panels = c.slots[s.temporary[0]];
  size_t packed_at = static_cast<size_t>(-1);
  for (size_t b = 0; b < batches; ++b) {
    // The leading axes broadcast: an axis that is missing or 1 does not move the operand.
    size_t at_x = 0, at_y = 0, rest = b, stride_x = m * k, stride_y = k * n;
    for (int axis = 3; axis <= z.rank; ++axis) {
      const size_t size = c.size(z[-axis]), i = rest % size;
      rest /= size;
      if (axis <= x.rank) {
        if (c.size(x[-axis]) != 1) at_x += i * stride_x;
        stride_x *= c.size(x[-axis]);
      }
      if (axis <= y.rank) {
        if (c.size(y[-axis]) != 1) at_y += i * stride_y;
        stride_y *= c.size(y[-axis]);
      }
    }
    if (at_y != packed_at) {
      const pack_args pack{.b = of_right + at_y,
                           .columns = n,
                           .depth = k,
                           .column_stride = 1,
                           .depth_stride = n,
                           .panels = panels};
      c.run(*c.kernels.pack, pack);
      packed_at = at_y;
    }
    const product_part part{
        .panels = panels, .columns = n, .out = c.result(s.node) + b * m * n, .out_stride = n};
    const product_args args{.a = of_left + at_x,
                            .rows = m,
                            .depth = k,
                            .a_stride = k,
                            .parts = &part,
                            .part_count = 1,
                            .threads = c.pool.size()};
    c.run(*c.kernels.product, args);
  }
}

} // namespace fovea::core::simd
