#include "drawing.hpp"

#include <algorithm>
#include <utility>

namespace forecast_program {

picture::forecast drawing_of(const series& s, std::size_t begin, const xt::xtensor<double, 2>& forecast,
                             std::size_t context, const knowledge& known) {
  const std::size_t end = begin + forecast.shape()[0], first = begin - context;
  picture::forecast made{.time_name = s.time_name, .times = {}, .columns = {}};
  for (std::size_t i = first; i < std::min(end, s.steps()); ++i)
    made.times.push_back(s.times.empty() ? std::to_string(i + 1) : s.times[i]);
  if (end > s.steps())
    for (std::string& time : times_ahead(s, end - s.steps())) made.times.push_back(std::move(time));
  for (std::size_t c = 0; c < s.columns(); ++c) {
    auto& column = made.columns.emplace_back();
    column.name = s.names[c];
    column.typical_error = known.error[c];
    for (std::size_t i = first; i < begin; ++i) column.history.push_back(s.values(i, c));
    for (std::size_t i = begin; i < end; ++i) {
      column.forecast.push_back(forecast(i - begin, c));
      if (end <= s.steps()) column.truth.push_back(s.values(i, c));
    }
  }
  return made;
}

} // namespace forecast_program
