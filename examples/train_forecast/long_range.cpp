#include "learn.hpp"

#include <forecast/network.hpp>

namespace train_forecast {

void run_long_range(const arguments& a) { run<forecast_program::long_range>(a); }

} // namespace train_forecast
