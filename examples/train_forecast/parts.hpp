#pragma once

#include <fovea/backends/xtensor.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace train_forecast {

/// Forecasts that begin at steps next to each other: their first steps.
struct begins {
  std::size_t first = 0, count = 0;
};

/// A series' steps in the order of time: those to learn from, to choose by and to test by. The steps that a forecast is
/// made from may lie in the part before.
struct parts {
  std::size_t learned = 0, validation = 0, test = 0; // steps
  std::size_t context = 0, horizon = 0;

  begins to_learn() const { return within(context, learned); }
  begins to_choose() const { return within(learned, learned + validation); }
  begins to_test() const { return within(learned + validation, learned + validation + test); }

private:
  begins within(std::size_t first, std::size_t end) const { return {first, end - first - horizon + 1}; }
};

/// Throws fovea::error, which begins with `file`, where a part has too few steps for one forecast.
parts split(std::size_t steps, double validation, double test, std::size_t context, std::size_t horizon,
            const std::string& file);

/// What forecasts are made from, and what came: [rows, context, columns], [rows, horizon, columns].
struct batch {
  xt::xtensor<float, 3> past, future;
};
/// Of the forecasts that begin at these steps of values [steps, columns].
batch batch_of(const xt::xtensor<float, 2>& values, std::span<const std::size_t> first_steps,
               const parts& sizes);

/// The means and deviations of the columns of values [steps, columns] over the first `count` steps.
struct scales {
  std::vector<double> mean, deviation;
};
/// Throws fovea::error, which names the column, where its values do not differ.
scales scales_of(const xt::xtensor<double, 2>& values, std::size_t count,
                 const std::vector<std::string>& names);

} // namespace train_forecast
