#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>

#include <algorithm>

namespace fovea::core::simd {

namespace {

/// What a product step multiplies: first the parts whose format rounds the rows, then the others.
struct product_call {
  product_part parts[4];
  product_args args;
  size_t count, rounded;

  product_call(context& c, const step& s)
      : args{.from_memory = c.weights_in_memory, .backward = c.reads_backward(s.node)},
        count(static_cast<size_t>(s.count)) {
    for (size_t i = 0; i < count; ++i) parts[i] = part(c, c.plan.parts[s.first + static_cast<int>(i)]);
    const product_part* others =
        std::partition(parts, parts + count, [](const product_part& p) { return rounds_rows(p.format); });
    rounded = static_cast<size_t>(others - parts);
  }

  product_args rounded_args() const { return of(parts, rounded); }
  product_args other_args() const { return of(parts + rounded, count - rounded); }

private:
  product_args of(const product_part* first, size_t parts_of_it) const {
    product_args some = args;
    some.parts = first, some.part_count = parts_of_it;
    return some;
  }
  product_part part(context& c, int root) {
    const int id = c.plan.product[root];
    const node& n = c.graph.at(id);
    const int left = c.graph.operand(id, 0), right = c.graph.operand(id, 1);
    const bool from_columns = is_from_columns(c.graph, id);
    const int weight = c.graph.at(right).kind == op::transpose ? c.graph.operand(right, 0) : right;
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
      const packed_panels& packed = c.packed(weight, from_columns);
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

size_t product_tiles(const context& c, const product_args& args) {
  if (args.part_count == 0 || !rounds_rows(args.parts->format)) return 0;
  const tile_kernels* tiles = rounding_of(c, args).tiles;
  return tiles == nullptr ? 0 : tiles->scratch(args);
}

void multiply(context& c, const product_args& args, float* tiles) {
  if (args.part_count == 0) return;
  const auto run = [&](auto tasks, auto product, auto... rounded) {
    c.run(
        tasks(args), [&](size_t first, size_t last, size_t) { product(args, first, last, rounded...); },
        args.backward);
  };
  if (rounds_rows(args.parts->format)) {
    const rounding_kernel& kernel = rounding_of(c, args);
    if (kernel.tiles != nullptr && kernel.tiles->are_faster(args)) {
      run(kernel.tiles->round_tasks, kernel.tiles->round, tiles);
      run(kernel.tiles->product_tasks, kernel.tiles->product, tiles);
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

scratch_floats product_scratch(context& c, const step& s) {
  return {.shared = product_tiles(c, product_call(c, s).rounded_args())};
}

void run_product(context& c, const step& s) {
  const product_call call(c, s);
  multiply(c, call.rounded_args(), c.shared_scratch());
  multiply(c, call.other_args(), nullptr);
}

namespace {

/// Of a matmul whose left side is a transposition that is read where it lies.
turned_product_args turned(const context& c, const step& s) {
  const int left = c.graph.operand(c.graph.operand(s.node, 0), 0), right = c.graph.operand(s.node, 1);
  const shape &x = c.shape_of(left), &y = c.shape_of(right);
  turned_product_args a{.rows = c.size(x[-1]), .columns = c.size(y[-1]), .depth = c.size(x[-2])};
  a.a = c.value(left), a.b = c.value(right), a.out = c.result(s.node);
  a.a_row = a.rows, a.b_row = a.out_row = a.columns;
  if (s.count > 1) a.sums = c.result(c.plan.parts[s.first + 1]);
  return a;
}

} // namespace

scratch_floats matmul_scratch(context& c, const step& s) {
  if (!c.plan.viewed[c.graph.operand(s.node, 0)]) return {};
  return {c.kernels.turned_product->scratch(turned(c, s))};
}

void run_matmul(context& c, const step& s) {
  if (c.plan.viewed[c.graph.operand(s.node, 0)]) {
    const turned_product_args args = turned(c, s);
    c.run(*c.kernels.turned_product, args);
    return;
  }
  const int left = c.graph.operand(s.node, 0), right = c.graph.operand(s.node, 1);
  const shape &x = c.shape_of(left), &y = c.shape_of(right), &z = c.shape_of(s.node);
  const size_t m = c.size(x[-2]), k = c.size(x[-1]), n = c.size(y[-1]);
  const size_t batches = c.elements(z, 0, z.rank - 2);
  c.work /= static_cast<std::int64_t>(batches); // of which each is shared by itself
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
      const pack_args pack{.b = c.value(right) + at_y,
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
    const product_args args{
        .a = c.value(left) + at_x, .rows = m, .depth = k, .a_stride = k, .parts = &part, .part_count = 1};
    c.run(*c.kernels.product, args);
  }
}

} // namespace fovea::core::simd
