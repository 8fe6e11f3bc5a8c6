#include "parts.hpp"

#include <fovea/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace train_forecast {

parts split(std::size_t steps, double validation, double test, std::size_t context, std::size_t horizon,
            const std::string& file) {
  const auto share = [&](double of) { return static_cast<std::size_t>(of * static_cast<double>(steps)); };
  parts made{.validation = share(validation), .test = share(test), .context = context, .horizon = horizon};
  made.learned = steps - made.validation - made.test;
  const auto need = [&](std::size_t found, std::size_t least, const char* what) {
    if (found < least)
      throw fovea::error(
          fmt::format("{}: expected at least {} steps {}, found {} of {}", file, least, what, found, steps));
  };
  need(made.learned, context + horizon, "to learn from");
  need(made.validation, horizon, "to choose by");
  need(made.test, horizon, "to test");
  return made;
}

batch batch_of(const xt::xtensor<float, 2>& values, std::span<const std::size_t> first_steps,
               const parts& sizes) {
  const std::size_t rows = first_steps.size(), columns = values.shape()[1];
  batch made{xt::xtensor<float, 3>::from_shape({rows, sizes.context, columns}),
             xt::xtensor<float, 3>::from_shape({rows, sizes.horizon, columns})};
  for (std::size_t row = 0; row < rows; ++row) {
    std::copy_n(&values(first_steps[row] - sizes.context, 0), sizes.context * columns, &made.past(row, 0, 0));
    std::copy_n(&values(first_steps[row], 0), sizes.horizon * columns, &made.future(row, 0, 0));
  }
  return made;
}

scales scales_of(const xt::xtensor<double, 2>& values, std::size_t count,
                 const std::vector<std::string>& names) {
  scales made;
  for (std::size_t c = 0; c < names.size(); ++c) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < count; ++i) sum += values(i, c);
    const double mean = sum / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) squares += (values(i, c) - mean) * (values(i, c) - mean);
    if (!(squares > 0))
      throw fovea::error(
          fmt::format("column '{}': expected values that differ in the {} steps to learn from, "
                      "found {} alone",
                      names[c], count, values(0, c)));
    made.mean.push_back(mean);
    made.deviation.push_back(std::sqrt(squares / static_cast<double>(count)));
  }
  return made;
}

} // namespace train_forecast
