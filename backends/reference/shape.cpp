#include <fovea/backends/reference/shape.hpp>

#include <algorithm>

namespace fovea::core::reference_ops {

namespace {

/// to[i + to_first] = from[i + from_first] along an axis, for 0 <= i < count.
void copy_along(const array& from, std::size_t from_first, array& to, std::size_t to_first, std::size_t count,
                std::size_t axis) {
  const blocks source = blocks_around(from, axis), target = blocks_around(to, axis);
  for (std::size_t before = 0; before < source.before; ++before)
    std::copy_n(from.data() + (before * source.size + from_first) * source.after, count * source.after,
                to.data() + (before * target.size + to_first) * target.after);
}

} // namespace

array permute(const array& x, const array_shape& order) { return xt::transpose(x, order); }

array broadcast(const array& x, const array_shape& shape) { return xt::broadcast(x, shape); }

array slice(const array& x, std::size_t axis, std::size_t first, std::size_t length) {
  array_shape shape = shape_of(x);
  shape[axis] = length;
  array y = filled(shape, 0);
  copy_along(x, first, y, 0, length, axis);
  return y;
}

void put_step(const array& x, array& y, std::size_t axis, std::size_t position) {
  array_shape shape = shape_of(y);
  shape[axis] = 1;
  copy_along(reshaped(x, shape), 0, y, position, 1, axis);
}

array concat(const std::vector<const array*>& parts, std::size_t axis) {
  array_shape shape = shape_of(*parts.front());
  shape[axis] = 0;
  for (const array* part : parts) shape[axis] += part->shape(axis);
  array y = filled(shape, 0);
  std::size_t first = 0;
  for (const array* part : parts) {
    copy_along(*part, 0, y, first, part->shape(axis), axis);
    first += part->shape(axis);
  }
  return y;
}

array pad(const array& x, std::size_t axis, std::size_t before, std::size_t after, double value) {
  array_shape shape = shape_of(x);
  shape[axis] += before + after;
  array y = filled(shape, value);
  copy_along(x, 0, y, before, x.shape(axis), axis);
  return y;
}

array reverse(const array& x, std::size_t axis) {
  array y = filled(shape_of(x), 0);
  const std::size_t size = x.shape(axis);
  for (std::size_t i = 0; i < size; ++i) copy_along(x, i, y, size - 1 - i, 1, axis);
  return y;
}

} // namespace fovea::core::reference_ops
