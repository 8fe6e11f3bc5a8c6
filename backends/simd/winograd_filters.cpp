#include <fovea/backends/simd/winograd_filters.hpp>

#include <cmath>

namespace fovea::core::simd {

namespace {

/// Taps at each of the six points: point^tap over the product of its distances from the others, at infinity the
/// last tap.
struct values_at_points {
  double at[winograd::seen][winograd::most_taps] = {};

  explicit values_at_points(std::size_t taps) {
    const double inner = std::sqrt(0.5), outer = std::sqrt(2.0);
    const double points[] = {0, inner, -inner, outer, -outer};
    constexpr std::size_t finite = winograd::seen - 1;
    for (std::size_t i = 0; i < finite; ++i) {
      double distances = 1, power = 1;
      for (std::size_t j = 0; j < finite; ++j)
        if (j != i) distances *= points[i] - points[j];
      for (std::size_t tap = 0; tap < taps; ++tap) at[i][tap] = power / distances, power *= points[i];
    }
    at[finite][taps - 1] = 1;
  }
};

} // namespace

std::vector<float> winograd_filters(const std::vector<float>& filters, std::size_t out, std::size_t in,
                                    std::size_t size, std::size_t stride, bool backward) {
  constexpr std::size_t seen = winograd::seen;
  const winograd::tile_shape shape(size, stride);
  const values_at_points values(shape.taps);
  const std::size_t depth = shape.features(in);
  std::vector<float> made(winograd::products * out * depth);
  for (std::size_t o = 0; o < out; ++o)
    for (std::size_t feature = 0; feature < depth; ++feature) {
      const std::size_t line = feature / in / stride, place = feature / in % stride; // within a position
      double half[winograd::most_taps][seen] = {}; // lines at the points of places
      for (std::size_t y = line; y < size; y += stride)
        for (std::size_t x = place; x < size; x += stride) {
          const std::size_t tap = backward ? size * size - 1 - (y * size + x) : y * size + x;
          const double weight = static_cast<double>(filters[(o * size * size + tap) * in + feature % in]);
          for (std::size_t j = 0; j < seen; ++j) half[y / stride][j] += values.at[j][x / stride] * weight;
        }
      for (std::size_t i = 0; i < seen; ++i)
        for (std::size_t j = 0; j < seen; ++j) {
          double sum = 0;
          for (std::size_t y = 0; y < shape.taps; ++y) sum += values.at[i][y] * half[y][j];
          made[((i * seen + j) * out + o) * depth + feature] = static_cast<float>(sum);
        }
    }
  return made;
}

std::vector<float> winograd_time_filters(const std::vector<float>& filters, std::size_t out, std::size_t in,
                                         std::size_t taps) {
  const values_at_points values(taps);
  std::vector<float> made(winograd::seen * out * in);
  float* to = made.data();
  for (std::size_t i = 0; i < winograd::seen; ++i)
    for (std::size_t o = 0; o < out; ++o, to += in) {
      const float* const from = filters.data() + o * taps * in;
      for (std::size_t feature = 0; feature < in; ++feature) {
        double sum = 0;
        for (std::size_t tap = 0; tap < taps; ++tap)
          sum += values.at[i][tap] * static_cast<double>(from[tap * in + feature]);
        to[feature] = static_cast<float>(sum);
      }
    }
  return made;
}

} // namespace fovea::core::simd
