#pragma once

#include <fovea/backends/xtensor.hpp>

#include <cstddef>

namespace train_forecast {

/// The season of the first `count` steps of values [steps, columns]: at this lag their autocorrelation, the mean over
/// the columns, each less its line, has its highest peak (Box and Jenkins 1970). 0 where no peak stands out of what
/// noise without a season gives, twice 1 / sqrt(count) (Bartlett 1946).
std::size_t season_of(const xt::xtensor<double, 2>& values, std::size_t count);

} // namespace train_forecast
