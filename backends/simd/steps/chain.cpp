#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/steps.hpp>

namespace fovea::core::simd {

void run_chain(context& c, const step& s) {
  const bool flat = c.code->flat;
  const std::int32_t* leaves = c.plan.leaves + c.plan.chains[s.node].first_leaf;
  const int leaf_count = c.plan.chains[s.node].leaves;
  const shape& whole = c.shape_of(s.node);
  chain_args args;
  args.out = c.result(s.node);
  const size_t total = c.elements(whole);
  args.row = flat || whole.rank == 0 ? total : c.size(whole[-1]);
  args.rows = total / args.row;
  args.axes = flat || whole.rank == 0 ? 0 : whole.rank - 1;
  for (int axis = 0; axis < args.axes; ++axis) args.sizes[axis] = c.size(whole.dims[axis]);
  for (int i = 0; i < leaf_count; ++i) {
    // A slice of features is read where it lies.
    const bool viewed = c.plan.viewed[leaves[i]];
    const int from = viewed ? c.graph.operand(leaves[i], 0) : leaves[i];
    args.leaves[i] = c.value(from) + (viewed ? c.size(c.graph.at(leaves[i]).settings.slice.first) : 0);
    const shape& x = c.shape_of(from);
    // Axes align from the last; one that is missing or 1 does not move.
    size_t stride = x.rank == 0 ? 1 : c.size(x[-1]);
    for (int back = 2; back <= x.rank && args.axes > 0; ++back) {
      const size_t size = c.size(x[-back]);
      args.strides[i][whole.rank - back] = size == 1 ? 0 : stride;
      stride *= size;
    }
  }
  // Long rows are cut into pieces, short ones gathered: small ones for many threads.
  const size_t piece = c.pool.size() > 2 && total < 8192 * 6 * c.pool.size() ? 2048 : 8192;
  if (args.axes == 0) {
    c.run((total + piece - 1) / piece, [&](size_t first, size_t last, size_t) {
      chain_args part = args;
      const size_t begin = first * piece, end = last * piece < total ? last * piece : total;
      part.row = end - begin;
      part.rows = 1;
      part.out += begin;
      for (int i = 0; i < leaf_count; ++i)
        if (const shape& x = c.shape_of(leaves[i]); x.rank != 0 && (flat || c.size(x[-1]) != 1))
          part.leaves[i] += begin;
      c.code->chain(part, 0, 1);
    });
    return;
  }
  const size_t rows = args.row >= piece ? 1 : piece / args.row;
  c.run((args.rows + rows - 1) / rows, [&](size_t first, size_t last, size_t) {
    c.code->chain(args, first * rows, last * rows < args.rows ? last * rows : args.rows);
  });
}

} // namespace fovea::core::simd
