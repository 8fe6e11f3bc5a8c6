#pragma once

#include "forecaster.hpp"
#include "series_file.hpp"

#include <picture/forecast.hpp>

namespace forecast_program {

/// A forecast [horizon, columns] from a step of the series on, with the `context` steps that it was made from, the errors
/// that are known of the network and, where the series goes on, what came.
picture::forecast drawing_of(const series& s, std::size_t begin, const xt::xtensor<double, 2>& forecast,
                             std::size_t context, const knowledge& known);

} // namespace forecast_program
