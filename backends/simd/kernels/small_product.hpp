#pragma once

// The product by weights that the first-level cache holds, float32 all, with the bits of product.hpp.

#include <fovea/backends/simd/kernels/small_block.hpp>

namespace fovea::core::simd {

namespace detail {

/// Rows of a task.
inline constexpr size_t small_task_rows = 16;

} // namespace detail

/// Tasks are groups of rows.
template <class Arch>
size_t small_product_tasks(const product_args& args) {
  return detail::ceil_div(args.rows, detail::small_task_rows);
}

template <class Arch>
void small_product(const product_args& args, size_t first, size_t last) {
  using namespace detail;
  const size_t row = first * small_task_rows, rows = smaller(last * small_task_rows, args.rows) - row;
  for (const product_part* part = args.parts; part < args.parts + args.part_count; ++part)
    multiply_small_part<Arch, false>({1, args.depth, 0}, *part, row, rows,
                                     [&](size_t r) { return left_row(args, r); });
}

} // namespace fovea::core::simd
