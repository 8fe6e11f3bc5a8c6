#include "season.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace train_forecast {
namespace {

/// A column less the line that is nearest to it by least squares; zeros where that leaves no more than rounding.
std::vector<double> without_line(const xt::xtensor<double, 2>& values, std::size_t count,
                                 std::size_t column) {
  const double n = static_cast<double>(count), middle = (n - 1) / 2;
  double mean = 0, slope = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mean += values(i, column) / n;
    slope += values(i, column) * (static_cast<double>(i) - middle);
  }
  slope /= n * (n * n - 1) / 12;
  std::vector<double> left(count);
  double squares = 0, all_squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    left[i] = values(i, column) - mean - slope * (static_cast<double>(i) - middle);
    squares += left[i] * left[i], all_squares += values(i, column) * values(i, column);
  }
  if (squares < 1e-20 * all_squares) std::ranges::fill(left, 0);
  return left;
}

} // namespace

std::size_t season_of(const xt::xtensor<double, 2>& values, std::size_t count) {
  constexpr std::size_t most = 10'000; // more hours than a year has
  const std::size_t lags = std::min(count / 2, most);
  std::vector<double> correlation(lags + 1);
  for (std::size_t c = 0; c < values.shape()[1]; ++c) {
    const std::vector<double> x = without_line(values, count, c);
    double all = 0;
    for (const double v : x) all += v * v;
    for (std::size_t lag = 0; lag <= lags && all > 0; ++lag) {
      double sum = 0;
      for (std::size_t i = lag; i < count; ++i) sum += x[i] * x[i - lag];
      correlation[lag] += sum / all / static_cast<double>(values.shape()[1]);
    }
  }
  std::size_t best = 0;
  double highest = 2 / std::sqrt(static_cast<double>(count));
  for (std::size_t lag = 2; lag < lags; ++lag)
    if (correlation[lag] > highest && correlation[lag] > correlation[lag - 1] &&
        correlation[lag] >= correlation[lag + 1])
      best = lag, highest = correlation[lag];
  return best;
}

} // namespace train_forecast
