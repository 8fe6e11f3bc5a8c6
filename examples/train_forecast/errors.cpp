#include "errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace train_forecast {

errors::errors(std::string name, std::size_t columns, std::size_t horizon)
    : way(std::move(name)), squared(xt::zeros<double>({columns, horizon})), absolute(squared) {}

void errors::add(std::size_t column, std::size_t step, double error) {
  squared(column, step) += error * error;
  absolute(column, step) += std::abs(error);
}

double errors::mean_of(const xt::xtensor<double, 2>& sums) const {
  return std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(sums.size() * forecasts);
}

double errors::mean_of(const xt::xtensor<double, 2>& sums, std::size_t column) const {
  const std::size_t horizon = sums.shape()[1];
  const double* first = &sums(column, 0);
  return std::accumulate(first, first + horizon, 0.0) / static_cast<double>(horizon * forecasts);
}

std::vector<errors> errors_in_test(forecast_program::forecaster& network, const xt::xtensor<float, 2>& values,
                                   const parts& sizes, std::size_t season, std::size_t rows) {
  const std::size_t columns = values.shape()[1];
  std::vector<errors> made{{"PatchTST", columns, sizes.horizon}, {"the last value", columns, sizes.horizon}};
  if (season > 0) made.emplace_back(fmt::format("the value {} steps before", season), columns, sizes.horizon);
  const begins test = sizes.to_test();
  for (std::size_t done = 0; done < test.count; done += rows) {
    std::vector<std::size_t> now(std::min(rows, test.count - done));
    std::iota(now.begin(), now.end(), test.first + done);
    const xt::xtensor<float, 3> forecasts = network.forecast(batch_of(values, now, sizes).past);
    for (std::size_t row = 0; row < now.size(); ++row)
      for (std::size_t step = 0; step < sizes.horizon; ++step)
        for (std::size_t c = 0; c < columns; ++c) {
          const auto error_of = [&](float said) {
            return static_cast<double>(said) - static_cast<double>(values(now[row] + step, c));
          };
          made[0].add(c, step, error_of(forecasts(row, step, c)));
          made[1].add(c, step, error_of(values(now[row] - 1, c)));
          // The newest season that was there when the forecast was made.
          if (season > 0)
            made[2].add(c, step, error_of(values(now[row] + step - season * (step / season + 1), c)));
        }
  }
  for (errors& each : made) each.forecasts = test.count;
  return made;
}

training::facts facts_of(const std::vector<errors>& all, const forecast_program::knowledge& known) {
  training::facts made;
  for (const errors& each : all)
    made.emplace_back("test, normalised, " + each.way,
                      fmt::format("{:.4f} squared, {:.4f} absolute", each.mean_of(each.squared),
                                  each.mean_of(each.absolute)));
  for (std::size_t c = 0; c < known.columns.size(); ++c)
    for (const errors& each : all) {
      const double scale = known.deviation[c];
      made.emplace_back(fmt::format("test, {}, {}", known.columns[c], each.way),
                        fmt::format("{:.5g} squared, {:.5g} absolute",
                                    scale * scale * each.mean_of(each.squared, c),
                                    scale * each.mean_of(each.absolute, c)));
    }
  const errors& best = *std::ranges::min_element(all.begin() + 1, all.end(), {},
                                                 [](const errors& e) { return e.mean_of(e.squared); });
  const double share = all[0].mean_of(all[0].squared) / best.mean_of(best.squared);
  made.emplace_back("squared error of PatchTST",
                    fmt::format("{:.2f} times that of {}{}", share, best.way,
                                share < 1 ? ", the best baseline" : ", which forecasts better"));
  return made;
}

std::vector<std::vector<double>> errors_ahead(const errors& of, const std::vector<double>& deviation) {
  std::vector<std::vector<double>> made;
  for (std::size_t c = 0; c < deviation.size(); ++c) {
    auto& steps = made.emplace_back();
    for (std::size_t i = 0; i < of.squared.shape()[1]; ++i)
      steps.push_back(deviation[c] * std::sqrt(of.squared(c, i) / static_cast<double>(of.forecasts)));
  }
  return made;
}

} // namespace train_forecast
