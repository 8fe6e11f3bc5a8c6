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

std::vector<float> product_rows(const weight_matrix& of, std::span<const float> values) {
  return turned(values, of.features, of.taps);
}

std::vector<float> parameter_values(const weight_matrix& of, std::span<const float> rows) {
  return turned(rows, of.taps, of.features);
}

} // namespace fovea::core
