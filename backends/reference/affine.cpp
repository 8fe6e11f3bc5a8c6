#include <fovea/backends/reference/affine.hpp>

#include <algorithm>

namespace fovea::core::reference_ops {

namespace {

/// c [m, n] += a [m, k] b [k, n]. The order of the loops reads b and c along their rows.
void add_product(const double* a, const double* b, double* c, std::size_t m, std::size_t k, std::size_t n) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l) {
      const double x = a[i * k + l];
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += x * b[l * n + j];
    }
}

/// The leading axes of a matrix product: those of x, stretched to `leading`, then its last two.
array stretched(const array& x, array_shape leading) {
  leading.push_back(x.shape(x.dimension() - 2));
  leading.push_back(x.shape(x.dimension() - 1));
  if (shape_of(x) == leading) return x;
  return xt::broadcast(x, leading);
}

/// Axes without the last two, joined by broadcasting.
array_shape joined_leading(const array& a, const array& b) {
  const std::size_t in_a = a.dimension() - 2, in_b = b.dimension() - 2;
  array_shape joined(std::max(in_a, in_b), 1);
  for (std::size_t i = 1; i <= joined.size(); ++i) {
    const std::size_t x = i <= in_a ? a.shape(in_a - i) : 1, y = i <= in_b ? b.shape(in_b - i) : 1;
    joined[joined.size() - i] = x == 1 ? y : x;
  }
  return joined;
}

} // namespace

array linear(const array& x, const array& weight, const array* bias) {
  const std::size_t in = weight.shape(1), out = weight.shape(0);
  array_shape shape = shape_of(x);
  shape.back() = out;
  array y = filled(shape, 0);
  const array columns = transpose(weight);
  add_product(x.data(), columns.data(), y.data(), in == 0 ? 0 : x.size() / in, in, out);
  if (bias != nullptr) y += *bias;
  return y;
}

array matmul(const array& a, const array& b) {
  const std::size_t m = a.shape(a.dimension() - 2), k = a.shape(a.dimension() - 1),
                    n = b.shape(b.dimension() - 1);
  array_shape shape = joined_leading(a, b);
  const array left = stretched(a, shape), right = stretched(b, shape);
  std::size_t products = 1;
  for (std::size_t size : shape) products *= size;
  shape.push_back(m);
  shape.push_back(n);
  array c = filled(shape, 0);
  for (std::size_t p = 0; p < products; ++p)
    add_product(left.data() + p * m * k, right.data() + p * k * n, c.data() + p * m * n, m, k, n);
  return c;
}

array transpose(const array& x) {
  array_shape order(x.dimension());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::swap(order[order.size() - 2], order[order.size() - 1]);
  return xt::transpose(x, order);
}

array gather(const array& table, const array& ids, source_place at) {
  const std::size_t rows = table.shape(0), row = rows == 0 ? 0 : table.size() / rows;
  array_shape shape = shape_of(ids);
  shape.insert(shape.end(), table.shape().begin() + 1, table.shape().end());
  array gathered = filled(shape, 0);
  check_numbers(at, "gather", "ids", ids, rows);
  for (std::size_t i = 0; i < ids.size(); ++i)
    std::copy_n(table.data() + static_cast<std::size_t>(ids.data()[i]) * row, row, gathered.data() + i * row);
  return gathered;
}

array scatter_add(const array& ids, const array& rows, const array_shape& shape) {
  array table = filled(shape, 0);
  const std::size_t row = shape[0] == 0 ? 0 : table.size() / shape[0];
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = 0; j < row; ++j)
      table.data()[static_cast<std::size_t>(ids.data()[i]) * row + j] += rows.data()[i * row + j];
  return table;
}

} // namespace fovea::core::reference_ops
