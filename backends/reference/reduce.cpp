#include <fovea/backends/reference/reduce.hpp>

#include <algorithm>
#include <functional>
#include <limits>

namespace fovea::core::reference_ops {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// y = join(y, x_i) for each element x_i along the axis, in order, starting from `first`.
template <class F>
array fold(const array& x, std::size_t axis, double first, F join) {
  array_shape shape = shape_of(x);
  shape[axis] = 1;
  array y = filled(shape, first);
  const blocks b = blocks_around(x, axis);
  for (std::size_t before = 0; before < b.before; ++before)
    for (std::size_t i = 0; i < b.size; ++i)
      for (std::size_t after = 0; after < b.after; ++after) {
        double& joined = y.data()[before * b.after + after];
        joined = join(joined, x.data()[(before * b.size + i) * b.after + after]);
      }
  return y;
}

} // namespace

array sum(const array& x, std::size_t axis) { return fold(x, axis, 0, std::plus<>()); }

array mean(const array& x, std::size_t axis) { return sum(x, axis) / static_cast<double>(x.shape(axis)); }

array max_over(const array& x, std::size_t axis) {
  return fold(x, axis, -infinity, [](double a, double b) { return std::max(a, b); });
}

array min_over(const array& x, std::size_t axis) {
  return fold(x, axis, infinity, [](double a, double b) { return std::min(a, b); });
}

array argmax(const array& x, std::size_t axis) {
  const array largest = max_over(x, axis);
  array where = filled(shape_of(largest), 0);
  const blocks b = blocks_around(x, axis);
  for (std::size_t before = 0; before < b.before; ++before)
    for (std::size_t after = 0; after < b.after; ++after) {
      const std::size_t row = before * b.after + after;
      std::size_t i = 0;
      while (i + 1 < b.size && x.data()[(before * b.size + i) * b.after + after] != largest.data()[row]) ++i;
      where.data()[row] = static_cast<double>(i);
    }
  return where;
}

} // namespace fovea::core::reference_ops
