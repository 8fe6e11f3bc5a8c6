#include <fovea/backends/reference/position.hpp>

#include <cmath>

namespace fovea::core::reference_ops {

array sinusoidal(std::size_t positions, std::size_t width, double base) {
  array table = filled({positions, width}, 0);
  for (std::size_t position = 0; position < positions; ++position)
    for (std::size_t i = 0; i < width / 2; ++i) {
      const double t = static_cast<double>(position) /
                       std::pow(base, 2 * static_cast<double>(i) / static_cast<double>(width));
      table(position, 2 * i) = std::sin(t);
      table(position, 2 * i + 1) = std::cos(t);
    }
  return table;
}

array rope(const array& x, const rope_settings& o, const rope_turns& turns) {
  array y = x;
  const std::size_t features = x.shape(x.dimension() - 1), positions = x.shape(x.dimension() - 2),
                    heads = static_cast<std::size_t>(o.heads), width = static_cast<std::size_t>(o.width),
                    head = features / heads;
  for (std::size_t row = 0; row < x.size() / features; ++row) {
    const double position = static_cast<double>(o.first) + static_cast<double>(row % positions);
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < width / 2; ++i) {
        const std::size_t start = row * features + h * head;
        const std::size_t first = start + (o.neighbours ? 2 * i : i),
                          second = o.neighbours ? first + 1 : first + width / 2;
        const double forth = position * turns.turns[i], t = o.turned_back ? -forth : forth,
                     a = turns.amplitude * x.data()[first], b = turns.amplitude * x.data()[second];
        y.data()[first] = a * std::cos(t) - b * std::sin(t);
        y.data()[second] = a * std::sin(t) + b * std::cos(t);
      }
  }
  return y;
}

} // namespace fovea::core::reference_ops
