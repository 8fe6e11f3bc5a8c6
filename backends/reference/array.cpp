#include <fovea/backends/reference/array.hpp>

#include <fovea/base/error.hpp>

namespace fovea::core::reference_ops {

array filled(const array_shape& shape, double value) {
  array made = array::from_shape(shape);
  made.fill(value);
  return made;
}

array reshaped(const array& x, const array_shape& shape) {
  array made = x;
  made.reshape(shape);
  return made;
}

array_shape shape_of(const array& x) { return {x.shape().begin(), x.shape().end()}; }

blocks blocks_around(const array& x, std::size_t axis) {
  blocks b;
  for (std::size_t i = 0; i < axis; ++i) b.before *= x.shape(i);
  b.size = x.shape(axis);
  for (std::size_t i = axis + 1; i < x.dimension(); ++i) b.after *= x.shape(i);
  return b;
}

std::string shape_text(std::span<const std::size_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

void fail(source_place at, const std::string& words) {
  sentence source;
  source << at;
  throw error(source.text + (": " + words));
}

void check_numbers(source_place at, const char* word, const char* what, const array& numbers,
                   std::size_t end) {
  for (const double i : numbers)
    if (i < 0 || i >= static_cast<double>(end))
      fail(at, std::string(word) + ": expected " + what + " from 0 to " +
                   std::to_string(static_cast<std::int64_t>(end) - 1) + ", found " +
                   std::to_string(static_cast<std::int64_t>(i)));
}

} // namespace fovea::core::reference_ops
