#include <fovea/weights/filter_rows.hpp>

namespace fovea::core {
namespace {

/// Each [lines, columns] of the values turned.
std::vector<float> turned(std::span<const float> values, std::size_t lines, std::size_t columns) {
  std::vector<float> made(values.size());
  for (std::size_t begin = 0; begin < values.size(); begin += lines * columns)
    for (std::size_t line = 0; line < lines; ++line)
      for (std::size_t column = 0; column < columns; ++column)
        made[begin + column * lines + line] = values[begin + line * columns + column];
  return made;
}

} // namespace

weight_matrix::weight_matrix(const graph_view& graph, int parameter) : taps(1) {
  const shape& s = graph.at(parameter).shape;
  const auto size = [&](int axis) { return static_cast<std::size_t>(graph.number(s[axis])); };
  rows = size(0), features = size(1);
  for (int axis = 2; axis < s.rank; ++axis) taps *= size(axis);
}

weight_view rows_of(const weight_matrix& of, const weight_view& values, std::vector<float>& kept) {
  if (of.taps == 1 || values.data == nullptr) return values;
  kept = product_rows(of, {values.data, values.size});
  return {.data = kept.data(), .size = kept.size()};
}

std::vector<float> product_rows(const weight_matrix& of, std::span<const float> values) {
  return turned(values, of.features, of.taps);
}

std::vector<float> parameter_values(const weight_matrix& of, std::span<const float> rows) {
  return turned(rows, of.taps, of.features);
}

} // namespace fovea::core
