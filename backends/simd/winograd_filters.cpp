#include <fovea/backends/simd/winograd_filters.hpp>

#include <cmath>

namespace fovea::core::simd {

namespace {

/// A filter of three taps at each of the six points: point^tap over the product of its distances from the others.
struct values_at_points {
  double at[winograd::seen][winograd::taps];

  values_at_points() {
    const double inner = std::sqrt(0.5), outer = std::sqrt(2.0);
    const double points[] = {0, inner, -inner, outer, -outer};
    constexpr std::size_t finite = winograd::seen - 1;
    for (std::size_t i = 0; i < finite; ++i) {
      double distances = 1, power = 1;
      for (std::size_t j = 0; j < finite; ++j)
        if (j != i) distances *= points[i] - points[j];
      for (double& value : at[i]) value = power / distances, power *= points[i];
    }
    at[finite][0] = at[finite][1] = 0, at[finite][2] = 1; // infinity
  }
};

} // namespace

std::vector<float> winograd_filters(const std::vector<float>& filters, std::size_t out, std::size_t in,
                                    bool backward) {
  using namespace winograd;
  const values_at_points values;
  std::vector<float> made(products * out * in);
  for (std::size_t o = 0; o < out; ++o)
    for (std::size_t feature = 0; feature < in; ++feature) {
      double half[taps][seen] = {}; // lines of the filter at the points of places
      for (std::size_t y = 0; y < taps; ++y)
        for (std::size_t x = 0; x < taps; ++x) {
          const std::size_t tap = backward ? taps * taps - 1 - (y * taps + x) : y * taps + x;
          const double weight = static_cast<double>(filters[(o * taps * taps + tap) * in + feature]);
          for (std::size_t j = 0; j < seen; ++j) half[y][j] += values.at[j][x] * weight;
        }
      for (std::size_t i = 0; i < seen; ++i)
        for (std::size_t j = 0; j < seen; ++j) {
          double sum = 0;
          for (std::size_t y = 0; y < taps; ++y) sum += values.at[i][y] * half[y][j];
          made[((i * seen + j) * out + o) * in + feature] = static_cast<float>(sum);
        }
    }
  return made;
}

} // namespace fovea::core::simd
