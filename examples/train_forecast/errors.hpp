#pragma once

#include "parts.hpp"

#include <forecast/forecaster.hpp>
#include <training/report.hpp>

#include <string>
#include <vector>

namespace train_forecast {

/// How far a way to forecast is off: sums over the forecasts, of scaled values.
struct errors {
  std::string way; // "PatchTST"
  std::size_t forecasts = 0;
  xt::xtensor<double, 2> squared, absolute; // [columns, horizon]

  errors(std::string name, std::size_t columns, std::size_t horizon);
  void add(std::size_t column, std::size_t step, double error);
  /// The mean over all; over the steps of a column.
  double mean_of(const xt::xtensor<double, 2>& sums) const;
  double mean_of(const xt::xtensor<double, 2>& sums, std::size_t column) const;
};

/// The errors of a network, of the last value, and of the value `season` steps before (0: without it), over the
/// test part of scaled values, `rows` forecasts at once.
std::vector<errors> errors_in_test(forecast_program::forecaster& network, const xt::xtensor<float, 2>& values,
                                   const parts& sizes, std::size_t season, std::size_t rows);

/// The mean squared and absolute errors of each way, the network's first, scaled and in each column's own units; last,
/// how the network stands to the best of the others.
training::facts facts_of(const std::vector<errors>& all, const forecast_program::knowledge& known);

/// Of each column and step ahead, the root of the mean squared error in the column's own units.
std::vector<std::vector<double>> errors_ahead(const errors& of, const std::vector<double>& deviation);

} // namespace train_forecast
