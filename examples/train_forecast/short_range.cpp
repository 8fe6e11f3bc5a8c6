#include "learn.hpp"

#include <forecast/network.hpp>

namespace train_forecast {

void run_short_range(const arguments& a) { run<forecast_program::short_range>(a); }

} // namespace train_forecast
